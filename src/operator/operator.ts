import { chmod, readFile, writeFile } from 'node:fs/promises'
import { eq } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { organization, user } from '../../db/schema.ts'
import { hostIn } from '../abuse/hosts.ts'
import * as reports from '../abuse/reports.ts'
import type { Subject } from '../identity/caller.ts'
import { readSubject, setPlan } from '../plans/payment-events.ts'
import { readSetting } from '../settings.ts'

/** Admin actions, made directly on the store and files, whether or not the service runs. */
export type Operator = Awaited<ReturnType<typeof openOperator>>

/** A request that cannot be carried out; the message says why and what to do. */
export class CannotOperate extends Error {}

/**
 * Opens the store that the environment names (DATABASE_URL, DATABASE_AUTH_TOKEN). A running service picks changes up
 * within a second.
 * @throws BadSetting; what the driver throws if the store cannot be opened.
 */
export async function openOperator(env: Record<string, string | undefined>) {
  const url = readSetting(env, 'DATABASE_URL')
  const store = await openStore({ url, authToken: readSetting(env, 'DATABASE_AUTH_TOKEN') })
  const hostsFile = readSetting(env, 'SERVICE_BLOCKED_HOSTS_FILE')
  return {
    /** All reported bundles, most recently reported first. */
    listReports: () => reports.listReports(store),
    /** Deletes the reports of a bundle; returns how many there were. */
    dismissReports: (slug: string) => reports.dismissReports(store, slug),
    /** Blocks a bundle: its launcher answers 451. */
    async blockBundle(slug: string, reason: string) {
      if (!(await reports.block(store, slug, reason)))
        throw new CannotOperate(`there is no bundle with the slug ${slug}`)
    },
    /** Unblocks a bundle; returns false if it was not blocked. */
    unblockBundle: (slug: string) => reports.unblock(store, slug),
    /** Adds a host, with its subdomains, to the file of blocked hosts; returns it as written there. */
    blockHost: (host: string) => changeHosts(hostsFile, host, (lines, name) => [...lines, name]),
    /** Removes a host from that file. */
    unblockHost: (host: string) => changeHosts(hostsFile, host, (lines) => lines),
    /** Sets the plan of a subject: `user:<id>`, `organization:<id>` or a person’s e-mail address. */
    async setPlan(whom: string, plan: string) {
      if (plan !== 'free' && plan !== 'pro') throw new CannotOperate(`there is no plan ${plan}: it is free or pro`)
      const subject = await findSubject(store, whom)
      if (subject === null)
        throw new CannotOperate(`there is no account ${whom}: name an e-mail address, user:<id> or organization:<id>`)
      await store.write(setPlan(store.db, subject, plan))
      return subject
    },
    close: () => store.close(),
  }
}

async function changeHosts(
  file: string | undefined,
  host: string,
  change: (lines: string[], name: string) => string[],
): Promise<string> {
  if (file === undefined)
    throw new CannotOperate('SERVICE_BLOCKED_HOSTS_FILE is not set: name the file that the service reads')
  const name = hostIn(host.replace(/^https?:\/\//i, '').replace(/\/.*$/, ''))
  if (name === '') throw new CannotOperate(`${host} is no host: write it like bad.example`)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const others = (text ?? '').split('\n').filter((line) => hostIn(line.replace(/#.*$/, '').trim()) !== name)
  while (others.at(-1) === '') others.pop()
  await writeFile(file, `${change(others, name).join('\n')}\n`)
  // It holds no secret, and the service may run as another user than the operator.
  if (text === null) await chmod(file, 0o644)
  return name
}

async function findSubject({ db }: Store, whom: string): Promise<Subject | null> {
  const named = readSubject(whom)
  if (named?.type === 'organization') {
    const its = eq(organization.id, named.organizationId)
    return (await db.select().from(organization).where(its)).length === 0 ? null : named
  }
  const theirs = named === null ? eq(user.email, whom.trim().toLowerCase()) : eq(user.id, named.userId)
  const [found] = await db.select({ id: user.id }).from(user).where(theirs)
  return found === undefined ? null : { type: 'user', userId: found.id }
}
