import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { resolve } from 'node:path'
import { fileFault, makeFolderOf } from './files.ts'
import { BadSetting, readSetting, refuseUnknown, SETTINGS, settingError } from './settings.ts'

declare module '../core/service.ts' {
  interface Service {
    config: Config
  }
}

export type Config = ReturnType<typeof readConfig>

/** @throws BadSetting for the host of the origin itself. */
function aliasesOf(env: Record<string, string | undefined>, { hostname }: URL): readonly string[] {
  const aliases = readSetting(env, 'SERVICE_ALIASES') ?? []
  if (!aliases.includes(hostname)) return aliases
  throw new BadSetting(`SERVICE_ALIASES must be other hosts than ${hostname}, to which SERVICE_BASE_URL leads already`)
}

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
    /** Writes per person over all sessions; 0: no limit. */
    writesPer: {
      minute: readSetting(env, 'SERVICE_WRITES_PER_MINUTE'),
      hour: readSetting(env, 'SERVICE_WRITES_PER_HOUR'),
    },
    /** Reads per person over all sessions; 0: no limit. */
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
    /** Maximum organisations that one person may create. */
    maxOrganizations: {
      free: readSetting(env, 'SERVICE_PLAN_FREE_MAX_ORGANIZATIONS'),
      pro: readSetting(env, 'SERVICE_PLAN_PRO_MAX_ORGANIZATIONS'),
    },
    /** Maximum total size of all versions of a subject’s bundles. */
    maxHistoryBytes: {
      free: readSetting(env, 'SERVICE_PLAN_FREE_MAX_HISTORY_MB') * 2 ** 20,
      pro: readSetting(env, 'SERVICE_PLAN_PRO_MAX_HISTORY_MB') * 2 ** 20,
    },
    requireVerifiedEmail: readSetting(env, 'SERVICE_REQUIRE_VERIFIED_EMAIL') === 'true',
    /** Who may create an account; see accounts/sign-up-policy.ts. */
    signUp: readSetting(env, 'SERVICE_SIGN_UP'),
    passwordSignIn: readSetting(env, 'SERVICE_PASSWORD_SIGN_IN') === 'on',
    /** Whether launchers are also at `/<slug>`, which their links then use. */
    shortPaths: readSetting(env, 'SERVICE_SHORT_PATHS') === 'on',
    /** Other hosts, which redirect people to the origin. */
    aliases: aliasesOf(env, baseUrl),
    /** Whether callers without a credential may create bundles. */
    anonymousBundles: readSetting(env, 'SERVICE_ANONYMOUS_BUNDLES') === 'on',
    /** The handle of the organisation whose start page is the home page; undefined: the home page is for pasting. */
    homeOrganization: readSetting(env, 'SERVICE_HOME_ORGANIZATION'),
    smtpUrl: readSetting(env, 'SMTP_URL'),
    /** Whether mails are logged if there is no mail server. Anyone who can read the log can use their sign-in links. */
    logMails: (readSetting(env, 'SERVICE_LOG_MAILS') ?? (env.NODE_ENV === 'production' ? 'off' : 'on')) === 'on',
    mailFrom: readSetting(env, 'SERVICE_MAIL_FROM') ?? `no-reply@${baseUrl.hostname}`,
    oidc: readOidc(env),
    /** Webhook senders’ secrets; if empty, their webhooks are refused. */
    webhookSecrets: {
      identity: readSetting(env, 'SERVICE_IDENTITY_WEBHOOK_SECRET') ?? [],
      payment: readSetting(env, 'SERVICE_PAYMENT_WEBHOOK_SECRET') ?? [],
    },
    /** Whether it runs on a developer’s machine and is reachable only from there, so that a page may show mails. */
    isDevelopment:
      env.NODE_ENV !== 'production' &&
      isLoopback(baseUrl.hostname) &&
      isLoopback(readSetting(env, 'HOST')) &&
      // This setting means that there is a proxy, which may admit anyone.
      readSetting(env, 'SERVICE_CLIENT_IP_HEADER') === undefined,
    /** Whether requests to users' URLs may go to private addresses. */
    outgoingPrivateNetworks: readSetting(env, 'SERVICE_OUTGOING_PRIVATE_NETWORKS') === 'true',
    /** Whether icons of sites are looked up and shown. */
    icons: readSetting(env, 'SERVICE_ICONS') === 'on',
    /** Whether preview pictures are drawn before somebody asks for them. */
    picturesAhead: readSetting(env, 'SERVICE_PICTURES_AHEAD') === 'on',
    /** Who may have titles of links fetched. */
    inspect: readSetting(env, 'SERVICE_INSPECT'),
    /** Whether saved links are checked regularly. */
    linkChecks: readSetting(env, 'SERVICE_LINK_CHECKS') === 'on',
    blockedHostsFile: readSetting(env, 'SERVICE_BLOCKED_HOSTS_FILE'),
    /** How often view and click counts are written. */
    countFlushMs: readSetting(env, 'SERVICE_COUNT_FLUSH_MS'),
    /** How long a stop waits for clients to disconnect; see http/health.ts. */
    drainMs: readSetting(env, 'SERVICE_DRAIN_MS'),
    metricsToken: readSetting(env, 'SERVICE_METRICS_TOKEN'),
    /** The separate listener for metrics, or null. */
    metricsListener:
      metricsPort === undefined ? null : { port: metricsPort, host: readSetting(env, 'SERVICE_METRICS_HOST') },
    /** The address of the service's source code; undefined: pages have no link to it. */
    sourceUrl: readSetting(env, 'SERVICE_SOURCE_URL'),
    /** Where viewers find this instance's browser extension; undefined: launchers do not mention one. */
    extensionUrl: readSetting(env, 'SERVICE_EXTENSION_URL'),
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

/** Why this user cannot use a database file and the files beside it; null if no permission or mount prevents it. */
export function databaseFault(file: string): string | null {
  const parts = [file, ...DATABASE_LOGS.map((end) => file + end)]
  for (const [at, path] of parts.entries()) {
    const fault = at > 0 && !existsSync(path) ? null : fileFault(path, 'write file')
    if (fault !== null) return fault
  }
  return null
}
const DATABASE_LOGS = ['-wal', '-shm']

/** The secret, generated on the first start and kept beside the database file, readable only by its owner. */
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

/** The files with the memory limit of the container or systemd unit: cgroup v2, then v1. */
const OWN_GROUP = '/proc/self/cgroup'
const ROOT = '/sys/fs/cgroup'

/**
 * The memory available to this process, in bytes: the machine’s, or the limit it runs under. Read from the cgroup
 * files, because Deno’s `process.constrainedMemory` ignores them.
 */
export function memoryBytes(): number {
  return Math.min(totalmem(), ...limitFiles().map(limitIn))
}

/**
 * Default size of the launcher cache, in MB: a 32nd of the memory. At least 32 MB, which a machine with 1 GB can spare, and at
 * most 512 MB, beyond which views get hardly faster.
 */
export function defaultCacheMb(memory: number): number {
  return Math.min(Math.max(Math.floor(memory / 2 ** 20 / 32), 32), 512)
}

function limitFiles(): string[] {
  // A group is also limited by its parents. Inside a container its own group is the root.
  return textOf(OWN_GROUP)
    .split('\n')
    .flatMap((line) => {
      const [, controllers = '', path = '/'] = line.split(':')
      if (controllers === '') return upwards(path).map((group) => `${ROOT}${group}memory.max`)
      const isMemory = controllers.split(',').includes('memory')
      return isMemory ? upwards(path).map((group) => `${ROOT}/memory${group}memory.limit_in_bytes`) : []
    })
}

/** `/a/b` gives `/`, `/a/` and `/a/b/`. */
function upwards(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '')
  return Array.from(
    { length: names.length + 1 },
    (_, depth) =>
      `/${names
        .slice(0, depth)
        .map((name) => `${name}/`)
        .join('')}`,
  )
}

function limitIn(file: string): number {
  const text = textOf(file).trim()
  return /^[0-9]+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
