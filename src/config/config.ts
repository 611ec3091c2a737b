import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileFault } from './file-faults.ts'
import { defaultCacheMb, memoryBytes } from './memory.ts'
import { makeFolderOf } from './private-files.ts'
import { BadSetting, readSetting, refuseUnknown, SETTINGS, settingError } from './settings.ts'

declare module '../core/service.ts' {
  interface Service {
    config: Config
  }
}

export type Config = ReturnType<typeof readConfig>

/**
 * Reads the environment.
 * @throws BadSetting with one line that names the setting.
 */
export function readConfig(env: Record<string, string | undefined>) {
  refuseUnknown(env)
  const port = readSetting(env, 'PORT')
  const database = {
    url: readSetting(env, 'DATABASE_URL'),
    authToken: readSetting(env, 'DATABASE_AUTH_TOKEN'),
  }
  const metricsPort = readSetting(env, 'SERVICE_METRICS_PORT')
  const baseUrl = new URL(readSetting(env, 'SERVICE_BASE_URL') ?? `http://localhost:${port}`)
  return {
    port,
    host: readSetting(env, 'HOST'),
    /** Without a trailing slash. */
    origin: baseUrl.origin,
    /** The only accepted Host header. */
    authority: baseUrl.host,
    name: readSetting(env, 'SERVICE_NAME'),
    database,
    backups: readBackups(env, database.url),
    secret: readSetting(env, 'SERVICE_SECRET') ?? storedSecret(database.url),
    addressLimit: {
      windowMs: readSetting(env, 'SERVICE_RATE_LIMIT_WINDOW_MS'),
      max: readSetting(env, 'SERVICE_RATE_LIMIT_MAX_REQUESTS'),
    },
    /** Writes of one person over all sessions; 0: no limit. */
    writesPer: {
      minute: readSetting(env, 'SERVICE_WRITES_PER_MINUTE'),
      hour: readSetting(env, 'SERVICE_WRITES_PER_HOUR'),
    },
    /** Reads of one person over all sessions; 0: no limit. */
    readsPerMinute: readSetting(env, 'SERVICE_READS_PER_MINUTE'),
    redisUrl: readSetting(env, 'REDIS_URL'),
    clientIpHeader: readSetting(env, 'SERVICE_CLIENT_IP_HEADER'),
    countryHeader: readSetting(env, 'SERVICE_COUNTRY_HEADER'),
    claimTtlMs: readSetting(env, 'SERVICE_CLAIM_TTL_HOURS') * 3_600_000,
    /** How long a deleted bundle can be restored. */
    keepDeletedMs: readSetting(env, 'SERVICE_KEEP_DELETED_DAYS') * 24 * 3_600_000,
    maxBundles: {
      anonymous: readSetting(env, 'SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES'),
      free: readSetting(env, 'SERVICE_PLAN_FREE_MAX_BUNDLES'),
      pro: readSetting(env, 'SERVICE_PLAN_PRO_MAX_BUNDLES'),
    },
    /** Organisations that one person may create. */
    maxOrganizations: {
      free: readSetting(env, 'SERVICE_PLAN_FREE_MAX_ORGANIZATIONS'),
      pro: readSetting(env, 'SERVICE_PLAN_PRO_MAX_ORGANIZATIONS'),
    },
    /** Total size of all versions of a subject’s bundles. */
    maxHistoryBytes: {
      free: readSetting(env, 'SERVICE_PLAN_FREE_MAX_HISTORY_MB') * 2 ** 20,
      pro: readSetting(env, 'SERVICE_PLAN_PRO_MAX_HISTORY_MB') * 2 ** 20,
    },
    requireVerifiedEmail: readSetting(env, 'SERVICE_REQUIRE_VERIFIED_EMAIL') === 'true',
    /** Who may create an account; see accounts/sign-up-policy.ts. */
    signUp: readSetting(env, 'SERVICE_SIGN_UP'),
    passwordSignIn: readSetting(env, 'SERVICE_PASSWORD_SIGN_IN') === 'on',
    /** Whether launchers are at `/<slug>` too, and their links say so. */
    shortPaths: readSetting(env, 'SERVICE_SHORT_PATHS') === 'on',
    /** Whether callers without a credential may create bundles. */
    anonymousBundles: readSetting(env, 'SERVICE_ANONYMOUS_BUNDLES') === 'on',
    smtpUrl: readSetting(env, 'SMTP_URL'),
    /** Whether mails are logged if there is no mail server. Anyone who can read the log can use their sign-in links. */
    logMails: (readSetting(env, 'SERVICE_LOG_MAILS') ?? (env.NODE_ENV === 'production' ? 'off' : 'on')) === 'on',
    mailFrom: readSetting(env, 'SERVICE_MAIL_FROM') ?? `no-reply@${baseUrl.hostname}`,
    oidc: readOidc(env),
    /** Webhook senders’ secrets; empty: their webhooks are refused. */
    webhookSecrets: {
      identity: readSetting(env, 'SERVICE_IDENTITY_WEBHOOK_SECRET') ?? [],
      payment: readSetting(env, 'SERVICE_PAYMENT_WEBHOOK_SECRET') ?? [],
    },
    /** Whether it runs on a developer’s machine and is only reachable from there, so that a page may show mails. */
    isDevelopment:
      env.NODE_ENV !== 'production' &&
      isLoopback(baseUrl.hostname) &&
      isLoopback(readSetting(env, 'HOST')) &&
      // It is set behind a proxy, which may admit anyone.
      readSetting(env, 'SERVICE_CLIENT_IP_HEADER') === undefined,
    /** Whether requests that users have the service send may go to private addresses. */
    outgoingPrivateNetworks: readSetting(env, 'SERVICE_OUTGOING_PRIVATE_NETWORKS') === 'true',
    /** Whether icons of sites are looked for, and shown. */
    icons: readSetting(env, 'SERVICE_ICONS') === 'on',
    /** Who may have links looked at. */
    inspect: readSetting(env, 'SERVICE_INSPECT'),
    /** Whether saved links are looked at from time to time. */
    linkChecks: readSetting(env, 'SERVICE_LINK_CHECKS') === 'on',
    blockedHostsFile: readSetting(env, 'SERVICE_BLOCKED_HOSTS_FILE'),
    /** How often view and click counts are written. */
    countFlushMs: readSetting(env, 'SERVICE_COUNT_FLUSH_MS'),
    /** How long a stop waits for clients to leave; see http/draining.ts. */
    drainMs: readSetting(env, 'SERVICE_DRAIN_MS'),
    metricsToken: readSetting(env, 'SERVICE_METRICS_TOKEN'),
    /** The separate listener for metrics, or null. */
    metricsListener:
      metricsPort === undefined ? null : { port: metricsPort, host: readSetting(env, 'SERVICE_METRICS_HOST') },
    /** Where to get the source of this service; undefined: pages have no link to it. */
    sourceUrl: readSetting(env, 'SERVICE_SOURCE_URL'),
    /** Where to report a vulnerability; undefined: not published. */
    securityContact: readSetting(env, 'SERVICE_SECURITY_CONTACT'),
    requestIdHeader: readSetting(env, 'SERVICE_REQUEST_ID_HEADER'),
    accessLog: readSetting(env, 'SERVICE_ACCESS_LOG'),
    /** Maximum size of the launcher cache. */
    cacheBytes: (readSetting(env, 'SERVICE_CACHE_MB') ?? defaultCacheMb(memoryBytes())) * 2 ** 20,
    logLevel: readSetting(env, 'LOG_LEVEL'),
  }
}

/** Null if no backups are scheduled. */
function readBackups(env: Record<string, string | undefined>, databaseUrl: string) {
  const folder = readSetting(env, 'SERVICE_BACKUP_DIR')
  const everyMs = readSetting(env, 'SERVICE_BACKUP_EVERY_HOURS') * 3_600_000
  const keep = readSetting(env, 'SERVICE_BACKUP_KEEP')
  if (folder === undefined) return null
  const store = databaseFile(databaseUrl)
  if (store === null)
    throw new BadSetting('SERVICE_BACKUP_DIR must be unset where DATABASE_URL is a server: back it up there')
  return { store, plan: { folder: resolve(folder), everyMs, keep } }
}

function readOidc(env: Record<string, string | undefined>) {
  const issuer = readSetting(env, 'OIDC_ISSUER')
  const clientId = readSetting(env, 'OIDC_CLIENT_ID')
  const clientSecret = readSetting(env, 'OIDC_CLIENT_SECRET')
  if (issuer === undefined) return null
  if (clientId === undefined) throw new BadSetting('OIDC_CLIENT_ID must be set where OIDC_ISSUER is')
  return { issuer, clientId, clientSecret }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127\./.test(host)
}

/** The path of a `file:` database, or null for a remote one. */
export function databaseFile(url: string): string | null {
  if (!url.startsWith('file:')) return null
  const path = url.slice('file:'.length).replace(/^\/\/(?:localhost)?(?=\/)/, '')
  try {
    return resolve(decodeURIComponent(path))
  } catch (error) {
    throw settingError('DATABASE_URL', error)
  }
}

/** Why a database file and those beside it cannot be used by this user; null if no permission or mount is in the way. */
export function databaseFault(file: string): string | null {
  const parts = [file, ...DATABASE_LOGS.map((end) => file + end)]
  for (const [at, path] of parts.entries()) {
    const fault = at > 0 && !existsSync(path) ? null : fileFault(path, 'write file')
    if (fault !== null) return fault
  }
  return null
}
const DATABASE_LOGS = ['-wal', '-shm']

/** Generated on the first start and kept beside the database file, readable only by its owner. */
function storedSecret(databaseUrl: string): string {
  const file = databaseFile(databaseUrl)
  if (file === null) throw new BadSetting('SERVICE_SECRET must be set when DATABASE_URL is a remote database')
  const path = `${file}.secret`
  let stored: string
  try {
    makeSecret(path)
    stored = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw settingError('DATABASE_URL', error, databaseFault(file) ?? fileFault(path, 'read file'))
  }
  const { mustBe, read } = SETTINGS.SERVICE_SECRET.reader
  if (read(stored) === undefined) throw new BadSetting(`SERVICE_SECRET must be ${mustBe}: what ${path} holds is not`)
  return stored
}

/**
 * A link appears atomically: of several processes starting at once one creates the file, and none reads it half
 * written.
 */
function makeSecret(path: string): void {
  makeFolderOf(path)
  if (existsSync(path)) return
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
