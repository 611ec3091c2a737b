import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { desc, eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bringUpToDate, openMigratedStore } from '../../db/existing.ts'
import { member, operatorLog, organization, user } from '../../db/schema.ts'
import { hostIn } from '../abuse/hosts.ts'
import * as reports from '../abuse/reports.ts'
import { databaseFile } from '../config/config.ts'
import { readSetting, settingError } from '../config/settings.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import { iso } from '../core/time.ts'
import { dropFullStop } from '../core/words.ts'
import type { Subject } from '../identity/caller.ts'
import { CannotOperate } from './declare.ts'

/** Maximum characters of a system user's name. */
const MAX_OPERATOR = 64

/** Loaded only by the commands that parse subjects, because it takes longer than the rest of a command. */
const loadEvents = () => import('../provider-events/deliveries.ts')

/** Admin actions, made directly on the store and files, whether or not the service runs. */
export type Operator = Awaited<ReturnType<typeof openOperator>>

type Env = Record<string, string | undefined>

/**
 * Opens the existing store of DATABASE_URL and DATABASE_AUTH_TOKEN, without migrating it. A running service notices changes
 * within a second.
 * @throws BadSetting, also if the store has another schema version; CannotOperate if there is no such file.
 */
export async function openOperator(env: Env) {
  const url = readSetting(env, 'DATABASE_URL')
  const file = databaseFile(url)
  if (file !== null && !existsSync(file)) {
    throw new CannotOperate(`there is no database at ${file}: set DATABASE_URL as it is set for the service`)
  }
  const remote = { url, authToken: readSetting(env, 'DATABASE_AUTH_TOKEN') }
  const store = await openMigratedStore(remote).catch((error: unknown) => {
    throw settingError('DATABASE_URL', error)
  })
  return {
    store,
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
    /**
     * Creates an account for an email address, whatever SERVICE_SIGN_UP says. The owner of the address signs in with a
     * mailed link or single sign-on, which verifies it.
     */
    async addAccount(address: string) {
      const { readEmail } = await import('../provider-events/shapes.ts')
      const email = readEmail(address)
      if (email === null) throw new CannotOperate(`${address} is not an email address`)
      const [id, at] = [randomBase62(32), new Date()]
      const row = { id, name: '', email, emailVerified: false, createdAt: at, updatedAt: at }
      const [made] = await store.write([store.db.insert(user).values(row).onConflictDoNothing()])
      if (made?.rowsAffected !== 1) throw new CannotOperate(`${email} has an account already`)
      return { email, userId: id }
    },
    /** Creates an organisation with its first admin, who must have an account. It counts towards nobody's plan. */
    async createOrganization(named: string, who: string) {
      const { refuseUnfit } = await import('../api/auth.ts')
      const name = named.trim()
      try {
        refuseUnfit({ name })
      } catch (error) {
        throw error instanceof Problem ? new CannotOperate(dropFullStop(error.message)) : error
      }
      const admin = await findSubject(store, who)
      if (admin?.type !== 'user') throw new CannotOperate(`there is no account ${who}: add-account makes one`)
      const [id, at] = [randomBase62(32), new Date()]
      const first = {
        id: randomBase62(32),
        organizationId: id,
        userId: admin.userId,
        role: 'admin',
        createdAt: at,
      } as const
      await store.write([
        store.db.insert(organization).values({ id, name, slug: randomUUID(), createdAt: at }),
        store.db.insert(member).values(first),
      ])
      return { organizationId: id, name, admin: admin.userId }
    },
    /**
     * Logs a command that was carried out. @param target a slug, or the id of its subject: `about` replaces an address by an id,
     * because addresses are not logged.
     */
    async log(env: Env, command: string, target: string | null) {
      const operator = env.OPENALL_OPERATOR?.slice(0, MAX_OPERATOR) ?? null
      await store.write([store.db.insert(operatorLog).values({ at: Date.now(), operator, command, target })])
    },
    /** The log's name for a target: an account by its id, null for an address without an account, and anything else unchanged. */
    async about(named: string | undefined): Promise<string | null> {
      if (!named?.includes('@')) return named ?? null
      const found = await findSubject(store, named)
      return found?.type === 'user' ? `user:${found.userId}` : null
    },
    /** The log of the operator's commands, newest first. */
    async readLog() {
      const rows = await store.db.select().from(operatorLog).orderBy(desc(operatorLog.id))
      return rows.map(({ at, operator, command, target }) => ({ at: iso(at), operator, command, target }))
    },
    /** Sets the plan of a subject: `user:<id>`, `organization:<id>` or a person’s email address. */
    async setPlan(who: string, plan: string) {
      if (plan !== 'free' && plan !== 'pro') throw new CannotOperate(`there is no plan ${plan}: use free or pro`)
      const subject = await findSubject(store, who)
      if (subject === null)
        throw new CannotOperate(`there is no account ${who}: use an email address, user:<id> or organization:<id>`)
      const { setPlan } = await loadEvents()
      await store.write(setPlan(store.db, subject, plan))
      return subject
    },
    close: () => store.close(),
  }
}

/**
 * Migrates the store as a start of the service does; creates it if there is none.
 * @returns the number of migrations applied.
 * @throws BadSetting.
 */
export async function migrateStore(env: Env): Promise<{ migrated: number }> {
  const url = readSetting(env, 'DATABASE_URL')
  const migrated = await bringUpToDate({ url, authToken: readSetting(env, 'DATABASE_AUTH_TOKEN') }).catch(
    (error: unknown) => {
      throw settingError('DATABASE_URL', error)
    },
  )
  return { migrated }
}

/** Adds a host, with its subdomains, to SERVICE_BLOCKED_HOSTS_FILE; returns the line written there. */
export function blockHost(env: Env, host: string): Promise<string> {
  return changeHosts(env, host, (lines, name) => [...lines, name])
}

/** Removes a host from that file; returns the line that was there. */
export function unblockHost(env: Env, host: string): Promise<string> {
  return changeHosts(env, host, (lines) => lines)
}

async function changeHosts(
  env: Env,
  host: string,
  change: (lines: string[], name: string) => string[],
): Promise<string> {
  const file = readSetting(env, 'SERVICE_BLOCKED_HOSTS_FILE')
  if (file === undefined)
    throw new CannotOperate('SERVICE_BLOCKED_HOSTS_FILE is not set: set it to the file that the service reads')
  const name = hostIn(host.replace(/^https?:\/\//i, '').replace(/\/.*$/, ''))
  if (name === '') throw new CannotOperate(`${host} is not a host: write it like bad.example`)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const others = (text ?? '').split('\n').filter((line) => hostIn(line.replace(/#.*$/, '').trim()) !== name)
  while (others.at(-1) === '') others.pop()
  await writeFile(file, `${change(others, name).join('\n')}\n`)
  // Not secret, and the service may run as another user than the operator.
  if (text === null) await chmod(file, 0o644)
  return name
}

async function findSubject({ db }: Store, who: string): Promise<Subject | null> {
  const { readSubject } = await loadEvents()
  const named = readSubject(who)
  if (named?.type === 'organization') {
    const isIt = eq(organization.id, named.organizationId)
    return (await db.select().from(organization).where(isIt)).length === 0 ? null : named
  }
  const isUser = named === null ? eq(user.email, who.trim().toLowerCase()) : eq(user.id, named.userId)
  const [found] = await db.select({ id: user.id }).from(user).where(isUser)
  return found === undefined ? null : { type: 'user', userId: found.id }
}
