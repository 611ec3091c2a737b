import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sql } from 'drizzle-orm'
import { checkIntegrity } from '../../db/backup.ts'
import type { Store } from '../../db/client.ts'
import { openMigratedStore } from '../../db/existing.ts'
import { readInstance } from '../../db/instance.ts'
import { knownMigrations } from '../../db/known-migrations.ts'
import { lastBackupAt, strangerIn } from '../../db/scheduled-backup.ts'
import { user } from '../../db/schema.ts'
import { type Config, databaseFile } from '../config/config.ts'
import { fileFault } from '../config/files.ts'
import { DAY_MS } from '../core/time.ts'
import { count } from '../core/words.ts'
import { reachMailServer } from '../mail/smtp.ts'
import { unexpectedIn } from '../runtime/expected.ts'
import { operatorConfig } from './config.ts'

/** The result of one check. `says` is a sentence, which also says what to do if the result is not ok. */
export interface Check {
  name: string
  state: 'ok' | 'warning' | 'wrong'
  says: string
}

type Env = Record<string, string | undefined>
type Verdict = readonly [Check['state'], string]

const MOST_SECONDS_OFF = 30
const PATIENCE_MS = 5_000

/** The messages of an error and its causes; for an untrusted certificate, also the setting that helps. */
function because(error: unknown): string {
  const said = (error instanceof Error ? error.message : String(error)).replace(/[.?]$/, '')
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const whole = cause === '' || said.includes(cause) ? said : `${said}: ${cause}`
  return UNTRUSTED.test(whole)
    ? `${whole}. If its certificate is of your company’s authority, set NODE_EXTRA_CA_CERTS to a file with the authority’s certificate, and restart`
    : whole
}
/** The wording of Bun, Deno and Node. */
const UNTRUSTED = /unable to (?:verify|get)|self[- ]signed|UnknownIssuer|issuer cert/i

/** Checks everything that an operator can get wrong, and changes nothing. */
export async function check(env: Env): Promise<Check[]> {
  let config: Config
  try {
    config = operatorConfig(env)
  } catch (error) {
    const says = `${because(error)}. Nothing else can be checked before.`
    return [{ name: 'settings', state: 'wrong', says }]
  }
  const [answer, store] = await Promise.all([askFromOutside(config), openStore(config)])
  const checks: [string, () => Verdict | Promise<Verdict>][] = [
    ['settings', () => settings(env, config)],
    ['store', () => storeWorks(config, store)],
    ['data', () => isExpected(config, store)],
    ['files', () => files(config)],
    ['disk', () => disk(config)],
    ['backups', () => backups(config)],
    ['mail', () => mail(config)],
    ['redis', () => redis(config)],
    ['sign-in', () => signInProvider(config)],
    ['clock', () => clock(store, answer)],
    ['address', () => address(config, answer)],
    ['proxy header', () => proxyHeader(config)],
  ]
  if (config.aliases.length > 0) checks.push(['aliases', () => aliases(config)])
  try {
    const done: Check[] = []
    for (const [name, look] of checks) {
      const [state, says] = await Promise.resolve(look()).catch((error): Verdict => ['wrong', `${because(error)}.`])
      done.push({ name, state, says })
    }
    return done
  } finally {
    if ('db' in store) await store.close()
  }
}

type Opened = Store | { error: string }

async function openStore({ database }: Config): Promise<Opened> {
  const file = databaseFile(database.url)
  // Opening a missing file would create it.
  if (file !== null && !existsSync(file))
    return { error: `there is no database at ${file}: start the service, or set DATABASE_URL as it is set for it` }
  const { url, authToken } = database
  return openMigratedStore({ url, authToken }).catch((error: unknown) => ({ error: because(error) }))
}

function settings(env: Env, { blockedHostsFile }: Config): Verdict {
  const fault = blockedHostsFile === undefined ? null : fileFault(blockedHostsFile, 'read file')
  if (fault !== null) return ['warning', `SERVICE_BLOCKED_HOSTS_FILE blocks no host: ${fault}.`]
  return env.SERVICE_BASE_URL
    ? ['ok', 'All are valid.']
    : [
        'warning',
        'SERVICE_BASE_URL is not set: links lead to this machine only. Set it to the address that people use.',
      ]
}

async function storeWorks({ database }: Config, store: Opened): Promise<Verdict> {
  if ('error' in store) return ['wrong', `${store.error}.`]
  const file = databaseFile(database.url)
  if (file !== null) await checkIntegrity(file)
  // Takes the write lock, and changes nothing.
  await store.write([store.db.delete(user).where(sql`0`)])
  return ['ok', `${file ?? 'The server'} is intact, of this version, and takes writes.`]
}

/** Whether the database and the secret are the same as before. */
async function isExpected(config: Config, store: Opened): Promise<Verdict> {
  if ('error' in store) return ['wrong', 'Nothing can be said of it while the database cannot be used.']
  const instance = await readInstance(store, config.secret)
  if (instance.isOtherSecret)
    return [
      'wrong',
      'The secret is not the one that the database was last used with: a start with it signs everybody out. Put the earlier one back (SERVICE_SECRET, or the file .secret beside the database).',
    ]
  const [unexpected] = unexpectedIn(instance, config, Date.now())
  if (unexpected !== undefined) return ['warning', unexpected.says]
  return ['ok', `The database was made ${new Date(instance.createdAt).toISOString()}, and its secret is its own.`]
}

function files({ database }: Config): Verdict {
  const file = databaseFile(database.url)
  const found = file === null ? [] : [file, `${file}-wal`, `${file}.secret`].filter((path) => existsSync(path))
  const open = found.find((path) => (statSync(path).mode & 0o077) !== 0)
  if (open !== undefined) return ['wrong', `Other users can read ${open}, and with it sign in as anyone: chmod 600 it.`]
  const self = process.getuid?.()
  const foreign = found.find((path) => statSync(path).uid !== self)
  if (foreign !== undefined)
    return [
      'wrong',
      `${foreign} belongs to another user: run this as the service’s user (openall-admin does), or chown it.`,
    ]
  return ['ok', 'Only the service’s user can read the database.']
}

async function disk({ database }: Config): Promise<Verdict> {
  const file = databaseFile(database.url)
  if (file === null) return ['ok', 'The database is a server’s: watch its disk there.']
  if (!existsSync(dirname(file))) return ['wrong', `${dirname(file)} does not exist.`]
  const { bavail, blocks, bsize } = await statfs(dirname(file))
  const [free, needed] = [bavail * bsize, existsSync(file) ? statSync(file).size : 0]
  const says = `${Math.floor(free / 2 ** 20)} MB are free, the database has ${Math.ceil(needed / 2 ** 20)} MB.`
  if (free < needed) return ['warning', `${says} A backup needs as much again: make room.`]
  return bavail < blocks / 10 ? ['warning', `${says} Make room: writes fail once it is full.`] : ['ok', says]
}

function backups({ backups: planned, database }: Config): Verdict {
  if (databaseFile(database.url) === null) return ['ok', 'The database is a server’s: back it up there.']
  if (planned === null)
    return ['warning', 'None are made by themselves: set SERVICE_BACKUP_DIR, and copy them to another machine.']
  const { folder, everyMs } = planned.plan
  const fault = fileFault(folder, 'write folder')
  if (fault !== null) return ['wrong', `${fault}.`]
  const stranger = existsSync(planned.store) && existsSync(folder) ? strangerIn(folder, planned.store) : null
  if (stranger !== null)
    return [
      'wrong',
      `${stranger.file} is of another database, made before this one, and holds ${count(stranger.bundles, 'bundle')}: restore it if it was to be (docs/self-hosting.md), else move that database’s backups elsewhere.`,
    ]
  const last = lastBackupAt(folder, Date.now())
  if (last === null) return ['wrong', `There is none in ${folder}: read why in the log, or start the service.`]
  const says = `The newest in ${folder} is of ${new Date(last).toISOString()}.`
  return Date.now() - last > 2 * everyMs ? ['wrong', `${says} A newer one is due: read why in the log.`] : ['ok', says]
}

async function mail({ smtpUrl }: Config): Promise<Verdict> {
  if (smtpUrl === undefined)
    return ['warning', 'SMTP_URL is not set: nobody gets a sign-in link or an invitation by mail.']
  try {
    await reachMailServer(smtpUrl)
  } catch (error) {
    return ['wrong', `The server of SMTP_URL does not take mail: ${because(error)}.`]
  }
  return ['ok', 'The mail server answers. send-test-mail <address> shows whether mails arrive.']
}

async function redis({ redisUrl }: Config): Promise<Verdict> {
  if (redisUrl === undefined) return ['ok', 'REDIS_URL is not set: each process counts limits for itself.']
  try {
    await (await import('../limits/redis.ts')).reachRedis(redisUrl)
  } catch (error) {
    return ['wrong', `The server of REDIS_URL does not answer: ${because(error)}.`]
  }
  return ['ok', 'Redis answers.']
}

async function signInProvider({ oidc }: Config): Promise<Verdict> {
  if (oidc === null) return ['ok', 'OIDC_ISSUER is not set: people sign in here.']
  try {
    await (await import('../accounts/oidc.ts')).discover(oidc)
  } catch (error) {
    return ['wrong', `The provider of OIDC_ISSUER cannot be used: ${because(error)}.`]
  }
  return ['ok', `${oidc.issuer} answers. Whether it knows OIDC_CLIENT_ID, only a sign-in shows.`]
}

type Answer = { status: number; secondsOff: number | null } | { error: string }

/** Requests the service at its public address, as people do. */
async function askFromOutside({ origin }: Config): Promise<Answer> {
  try {
    const { status, headers } = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const date = Date.parse(headers.get('date') ?? '')
    return { status, secondsOff: Number.isNaN(date) ? null : Math.abs(Date.now() - date) / 1000 }
  } catch (error) {
    return { error: because(error) }
  }
}

async function clock(store: Opened, answer: Answer): Promise<Verdict> {
  const now = Date.now()
  const howTo = 'Let systemd-timesyncd or chrony set it: links, sessions and single sign-on expire by it.'
  const released = Math.max(...knownMigrations().map(({ folderMillis }) => folderMillis))
  if (now < released - DAY_MS) return ['wrong', `It is behind: this version is newer than now. ${howTo}`]
  if ('db' in store) {
    const [newest] = await store.db.select({ at: sql<number | null>`max(${user.createdAt})` }).from(user)
    if (newest?.at != null && newest.at > now + MOST_SECONDS_OFF * 1000)
      return ['wrong', `It is behind: an account was made later than now. ${howTo}`]
  }
  const off = 'secondsOff' in answer ? answer.secondsOff : null
  if (off !== null && off > MOST_SECONDS_OFF)
    return ['wrong', `It is ${Math.round(off)} seconds off the proxy’s. ${howTo}`]
  return ['ok', `It says ${new Date(now).toISOString()}.`]
}

function address({ origin }: Config, answer: Answer): Verdict {
  const todo = 'see whether the service runs, and whether the name and the proxy lead to it'
  if ('error' in answer) return ['wrong', `${origin} does not answer (${answer.error}): ${todo}.`]
  if (answer.status === 200) return ['ok', `${origin} is ready.`]
  return ['wrong', `${origin}/readyz answers ${answer.status}: ${todo}; the proxy must pass the Host header on.`]
}

/** Whether the other hosts redirect to the origin, as seen from here. */
async function aliases({ aliases, origin }: Config): Promise<Verdict> {
  const wrong: string[] = []
  for (const alias of aliases) {
    const asked = { redirect: 'manual' as const, signal: AbortSignal.timeout(PATIENCE_MS) }
    const answer = await fetch(`http://${alias}/`, asked).catch((error: unknown) => because(error))
    if (typeof answer === 'string') wrong.push(`http://${alias} does not answer (${answer})`)
    // A proxy may first redirect to https.
    else if (![`${origin}/`, `https://${alias}/`].includes(answer.headers.get('location') ?? ''))
      wrong.push(`http://${alias} answers ${answer.status} and does not lead to ${origin}`)
  }
  if (wrong.length === 0) return ['ok', `${aliases.join(', ')}: all lead to ${origin}.`]
  return ['warning', `${wrong.join('; ')}: let the name lead to the proxy, and the proxy pass its Host header on.`]
}

function proxyHeader({ origin, clientIpHeader, host }: Config): Verdict {
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
  if (clientIpHeader === undefined)
    return origin.startsWith('https:')
      ? [
          'warning',
          'SERVICE_CLIENT_IP_HEADER is not set: all clients behind the proxy share one limit. Set it to the header that the proxy overwrites.',
        ]
      : ['ok', 'None is trusted: limits go by the address of the connection.']
  if (isLocal)
    return ['ok', `${clientIpHeader} is trusted, and only this machine can send it. The proxy must overwrite it.`]
  return [
    'warning',
    `${clientIpHeader} is trusted on ${host}: make sure that only the proxy can reach the port (in a container it usually is so).`,
  ]
}
