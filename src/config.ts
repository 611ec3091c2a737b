import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { listed } from './words.ts'

/** How a setting is read from its text, and what a text must be that can be. */
interface Reader<T> {
  mustBe: string
  /** Undefined for a text that cannot be read. */
  read(text: string): T | undefined
}

// Not arktype's: it takes longer to load than all that a launcher needs.

function text(mustBe: string, pattern: RegExp): Reader<string> {
  return { mustBe, read: (text) => (pattern.test(text) ? text : undefined) }
}

const atLeast = (letters: number) => text(`at least ${letters} characters`, new RegExp(`^.{${letters},}$`, 's'))
const atMost = (letters: number) => text(`1 to ${letters} characters`, new RegExp(`^.{1,${letters}}$`, 's'))
const anything = atLeast(1)
const headerName = text('the name of one header', /^[A-Za-z0-9-]{1,64}$/)

function whole(max: number): Reader<number> {
  const read = (text: string) => (/^[0-9]{1,10}$/.test(text) && +text >= 1 && +text <= max ? +text : undefined)
  return { mustBe: `a whole number from 1 to ${max}`, read }
}

const positive = whole(1_000_000_000)

function oneOf<const Word extends string>(...words: Word[]): Reader<Word> {
  return {
    mustBe: listed(words, 'or'),
    read: (text) => words.find((word) => word === text),
  }
}

const origin: Reader<string> = {
  mustBe: 'an http: or https: origin such as https://go.example.com, with no path',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : null
    return url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href ? text.trim() : undefined
  },
}

/** Several for a change of secret: what is signed with any of them is taken. */
const webhookSecrets: Reader<string[]> = {
  mustBe: 'one or more secrets of at least 16 characters, with spaces between them',
  read(text) {
    const secrets = text.trim().split(/\s+/)
    return secrets.every((secret) => secret.replace(/^whsec_/, '').length >= 16) ? secrets : undefined
  },
}

/**
 * Every setting: how it is read, its default (none: optional) and what it is for. All are optional;
 * a bad one stops the start with one line that names it. The README's table is tested against this.
 */
export const SETTINGS = {
  PORT: { reader: whole(65_535), fallback: '3000' },
  HOST: { reader: atMost(255), fallback: 'localhost' },
  SERVICE_BASE_URL: { reader: origin, fallback: undefined },
  SERVICE_NAME: { reader: atMost(60), fallback: 'Openall' },
  DATABASE_URL: {
    reader: text('a file:, libsql:, http(s): or ws(s): address', /^(file:.|libsql:\/\/.|https?:\/\/.|wss?:\/\/.)/),
    fallback: 'file:./data/openall.db',
  },
  DATABASE_AUTH_TOKEN: { reader: anything, fallback: undefined },
  DATABASE_REPLICA_PATH: { reader: anything, fallback: undefined },
  SERVICE_SECRET: { reader: atLeast(32), fallback: undefined },
  SERVICE_RATE_LIMIT_WINDOW_MS: { reader: positive, fallback: '60000' },
  SERVICE_RATE_LIMIT_MAX_REQUESTS: { reader: positive, fallback: '30' },
  REDIS_URL: { reader: text('a redis: or rediss: address', /^rediss?:\/\/./), fallback: undefined },
  SERVICE_CLIENT_IP_HEADER: { reader: headerName, fallback: undefined },
  SERVICE_COUNTRY_HEADER: { reader: headerName, fallback: undefined },
  SERVICE_CLAIM_TTL_HOURS: { reader: positive, fallback: '168' },
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: { reader: positive, fallback: '50' },
  SERVICE_PLAN_FREE_MAX_BUNDLES: { reader: positive, fallback: '100' },
  SERVICE_PLAN_PRO_MAX_BUNDLES: { reader: positive, fallback: '10000' },
  SERVICE_REQUIRE_VERIFIED_EMAIL: { reader: oneOf('true', 'false'), fallback: 'false' },
  SMTP_URL: { reader: text('an smtp: or smtps: address', /^smtps?:\/\/./), fallback: undefined },
  SERVICE_MAIL_FROM: { reader: atMost(320), fallback: undefined },
  OIDC_ISSUER: { reader: text('an http: or https: address', /^https?:\/\/./), fallback: undefined },
  OIDC_CLIENT_ID: { reader: anything, fallback: undefined },
  OIDC_CLIENT_SECRET: { reader: anything, fallback: undefined },
  SERVICE_IDENTITY_WEBHOOK_SECRET: { reader: webhookSecrets, fallback: undefined },
  SERVICE_PAYMENT_WEBHOOK_SECRET: { reader: webhookSecrets, fallback: undefined },
  SERVICE_BLOCKED_HOSTS_FILE: { reader: anything, fallback: undefined },
  SERVICE_METRICS_TOKEN: { reader: atLeast(16), fallback: undefined },
  SERVICE_REQUEST_ID_HEADER: { reader: headerName, fallback: undefined },
  SERVICE_ACCESS_LOG: { reader: oneOf('off', 'errors', 'all'), fallback: 'off' },
  LOG_LEVEL: { reader: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), fallback: 'info' },
} as const

type Setting = keyof typeof SETTINGS
type Read<S extends Setting> =
  | Exclude<ReturnType<(typeof SETTINGS)[S]['reader']['read']>, undefined>
  | ((typeof SETTINGS)[S]['fallback'] extends string ? never : undefined)

/** A setting that cannot be used; its message is the one line that the start prints. */
export class BadSetting extends Error {}

/**
 * One setting of the environment.
 * @throws BadSetting.
 */
export function readSetting<S extends Setting>(env: Record<string, string | undefined>, name: S): Read<S> {
  const { reader, fallback } = SETTINGS[name]
  // An empty variable is how shells and compose files say "unset".
  const text = env[name] || fallback
  if (text === undefined) return undefined as Read<S>
  const value = reader.read(text)
  if (value === undefined) throw new BadSetting(`${name} must be ${reader.mustBe}`)
  return value as Read<S>
}

export type Config = ReturnType<typeof readConfig>

/**
 * The environment, parsed once (decisions 12).
 * @throws BadSetting with one line that names the setting.
 */
export function readConfig(env: Record<string, string | undefined>) {
  const port = readSetting(env, 'PORT')
  const database = {
    url: readSetting(env, 'DATABASE_URL'),
    authToken: readSetting(env, 'DATABASE_AUTH_TOKEN'),
    replicaPath: readSetting(env, 'DATABASE_REPLICA_PATH'),
  }
  if (database.replicaPath !== undefined && databaseFile(database.url) !== null)
    throw new BadSetting('DATABASE_REPLICA_PATH must be unset where DATABASE_URL is a file: a file needs no copy')
  const baseUrl = new URL(readSetting(env, 'SERVICE_BASE_URL') ?? `http://localhost:${port}`)
  return {
    port,
    host: readSetting(env, 'HOST'),
    /** Without a trailing slash. */
    origin: baseUrl.origin,
    /** The one Host that is answered. */
    authority: baseUrl.host,
    name: readSetting(env, 'SERVICE_NAME'),
    database,
    secret: readSetting(env, 'SERVICE_SECRET') ?? storedSecret(database.url),
    addressLimit: {
      windowMs: readSetting(env, 'SERVICE_RATE_LIMIT_WINDOW_MS'),
      max: readSetting(env, 'SERVICE_RATE_LIMIT_MAX_REQUESTS'),
    },
    redisUrl: readSetting(env, 'REDIS_URL'),
    clientIpHeader: readSetting(env, 'SERVICE_CLIENT_IP_HEADER'),
    countryHeader: readSetting(env, 'SERVICE_COUNTRY_HEADER'),
    claimTtlMs: readSetting(env, 'SERVICE_CLAIM_TTL_HOURS') * 3_600_000,
    maxBundles: {
      anonymous: readSetting(env, 'SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES'),
      free: readSetting(env, 'SERVICE_PLAN_FREE_MAX_BUNDLES'),
      pro: readSetting(env, 'SERVICE_PLAN_PRO_MAX_BUNDLES'),
    },
    requireVerifiedEmail: readSetting(env, 'SERVICE_REQUIRE_VERIFIED_EMAIL') === 'true',
    smtpUrl: readSetting(env, 'SMTP_URL'),
    mailFrom: readSetting(env, 'SERVICE_MAIL_FROM') ?? `no-reply@${baseUrl.hostname}`,
    oidc: readOidc(env),
    /** What senders of webhooks sign with; empty: nothing is taken from them. */
    webhookSecrets: {
      identity: readSetting(env, 'SERVICE_IDENTITY_WEBHOOK_SECRET') ?? [],
      payment: readSetting(env, 'SERVICE_PAYMENT_WEBHOOK_SECRET') ?? [],
    },
    /** On a developer's own machine, seen from nowhere else: mails may be shown in a page. */
    isDevelopment:
      env.NODE_ENV !== 'production' && isLoopback(baseUrl.hostname) && isLoopback(readSetting(env, 'HOST')),
    blockedHostsFile: readSetting(env, 'SERVICE_BLOCKED_HOSTS_FILE'),
    metricsToken: readSetting(env, 'SERVICE_METRICS_TOKEN'),
    requestIdHeader: readSetting(env, 'SERVICE_REQUEST_ID_HEADER'),
    accessLog: readSetting(env, 'SERVICE_ACCESS_LOG'),
    logLevel: readSetting(env, 'LOG_LEVEL'),
  }
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
    throw blame('DATABASE_URL', error)
  }
}

/** What a failure says when the setting it comes from is to blame: its reason's first line. */
export function blame(setting: string, error: unknown): BadSetting {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return new BadSetting(`${setting} cannot be used: ${reason.replace(/\.$/, '')}`)
}

/** Made once and kept beside the file database, readable by its owner alone. */
function storedSecret(databaseUrl: string): string {
  const file = databaseFile(databaseUrl)
  if (file === null) throw new BadSetting('SERVICE_SECRET must be set when DATABASE_URL is a remote database')
  const path = `${file}.secret`
  try {
    makeSecret(path)
  } catch (error) {
    throw blame('DATABASE_URL', error)
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 32) throw new BadSetting(`SERVICE_SECRET must be at least 32 characters: ${path} holds fewer`)
  return secret
}

/** Of several processes starting at once one makes the file, and none sees it half written: a link appears whole. */
function makeSecret(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
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
