import { readFileSync } from 'node:fs'
import { distance } from '../core/distance.ts'
import { dropFullStop, joinList } from '../core/words.ts'
import { fileFault } from './files.ts'

/** Parses a setting, and describes what it accepts for the error message. */
interface Reader<T> {
  mustBe: string
  /** Undefined if the text is not valid. */
  read(text: string): T | undefined
}

// Not arktype, which `openall-server health` would load every few seconds.

function text(mustBe: string, pattern: RegExp): Reader<string> {
  return { mustBe, read: (text) => (pattern.test(text) ? text : undefined) }
}

const anything = text('text, not spaces alone', /\S/)
/** Shown and mailed as one line: a line break would start another mail header, and a bidi control would reorder the text. */
const line: Reader<string> = {
  mustBe: '1 to 60 characters on one line, not spaces alone',
  read: (text) =>
    /^[^\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]{1,60}$/u.test(text) && text.trim() !== '' ? text : undefined,
}
const host = text('the name or number of an address, such as localhost, 0.0.0.0 or ::', /^[\w.:%[\]-]{1,255}$/)
const sender = text(
  'an email address, or a name with one: Openall <hello@go.example.com>',
  /^(?=.{3,320}$)(?:[^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
)
const handle = text(
  'the handle of an organisation: 3 to 40 lower-case letters, digits and single hyphens',
  /^(?=.{3,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
)
const headerName = text('the name of one header', /^[A-Za-z0-9-]{1,64}$/)

function integer(max: number, min = 1): Reader<number> {
  const read = (text: string) => (/^[0-9]{1,10}$/.test(text) && +text >= min && +text <= max ? +text : undefined)
  return { mustBe: `a whole number from ${min} to ${max}`, read }
}

const positive = integer(1_000_000_000)
const TEN_YEARS_IN_DAYS = 10 * 365
const TEN_YEARS_IN_HOURS = TEN_YEARS_IN_DAYS * 24

/** Requires some variety, because spaces or a repeated letter are easy to guess, however long. */
function secret(letters: number): Reader<string> {
  return {
    mustBe: `at least ${letters} characters, ${DIFFERENT} of them different`,
    read: (text) => (text.length >= letters && new Set(text.replace(/\s/g, '')).size >= DIFFERENT ? text : undefined),
  }
}
/** 16 random hexadecimal digits have fewer distinct ones once in a billion. */
const DIFFERENT = 4

/** A URL of one of these schemes with a host. */
function address(mustBe: string, ...schemes: string[]): Reader<string> {
  const read = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : null
    return url !== null && schemes.includes(url.protocol) && url.hostname !== '' ? text : undefined
  }
  return { mustBe, read }
}

const page: Reader<string> = {
  mustBe: 'an https: address of at most 2000 characters',
  read: (text) => (text.length <= 2000 ? address('', 'https:').read(text) : undefined),
}

const database: Reader<string> = (() => {
  const server = address('', 'libsql:', 'http:', 'https:', 'ws:', 'wss:')
  const read = (text: string) => (/^file:.*\S/.test(text) ? text : server.read(text))
  return { mustBe: 'a file:, libsql:, http(s): or ws(s): address', read }
})()
/** 0 means none. */
const orNone = integer(1_000_000_000, 0)

function oneOf<const Word extends string>(...words: Word[]): Reader<Word> {
  return {
    mustBe: joinList(words, 'or'),
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

/** Names of hosts, in lower case, without ports, which depend on the proxy. */
const hosts: Reader<string[]> = {
  mustBe: 'names of hosts with commas between them, such as go, go.corp.example: no scheme, port or path',
  read(text) {
    const names = text.split(',').map((name) => name.trim().toLowerCase())
    const isHost = (name: string) => name.length <= 253 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)
    return names.every(isHost) ? [...new Set(names)] : undefined
  },
}

/** Several, so that a secret can be rotated: a signature by any of them is accepted. */
const webhookSecrets: Reader<string[]> = {
  mustBe: `one or more secrets of at least 16 characters, ${DIFFERENT} of them different, with spaces between the secrets`,
  read(text) {
    const secrets = text.trim().split(/ +/)
    const { read } = secret(16)
    return secrets.every((signed) => read(signed.replace(/^whsec_/, '')) !== undefined) ? secrets : undefined
  },
}

/**
 * Every setting, its reader and its default (none: optional). A bad value stops the start with one line that names the
 * setting. Those with `isSecret` may be in a file instead, which `<name>_FILE` names: containers mount secrets as files,
 * and an environment is easier to read than a file. A test compares this with docs/settings.md.
 */
export const SETTINGS = {
  PORT: { reader: integer(65_535), fallback: '3000' },
  HOST: { reader: host, fallback: '127.0.0.1' },
  SERVICE_BASE_URL: { reader: origin, fallback: undefined },
  SERVICE_NAME: { reader: line, fallback: 'Openall' },
  DATABASE_URL: { reader: database, fallback: 'file:./data/openall.db' },
  DATABASE_AUTH_TOKEN: { reader: anything, fallback: undefined, isSecret: true },
  SERVICE_SECRET: { reader: secret(32), fallback: undefined, isSecret: true },
  SERVICE_RATE_LIMIT_WINDOW_MS: { reader: positive, fallback: '60000' },
  SERVICE_RATE_LIMIT_MAX_REQUESTS: { reader: positive, fallback: '30' },
  SERVICE_WRITES_PER_MINUTE: { reader: orNone, fallback: '120' },
  SERVICE_WRITES_PER_HOUR: { reader: orNone, fallback: '1500' },
  SERVICE_READS_PER_MINUTE: { reader: orNone, fallback: '600' },
  REDIS_URL: {
    reader: address('a redis: or rediss: address', 'redis:', 'rediss:'),
    fallback: undefined,
    isSecret: true,
  },
  SERVICE_CLIENT_IP_HEADER: { reader: headerName, fallback: undefined },
  SERVICE_COUNTRY_HEADER: { reader: headerName, fallback: undefined },
  SERVICE_CLAIM_TTL_HOURS: { reader: integer(TEN_YEARS_IN_HOURS), fallback: '168' },
  SERVICE_KEEP_DELETED_DAYS: { reader: integer(TEN_YEARS_IN_DAYS), fallback: '30' },
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: { reader: positive, fallback: '50' },
  SERVICE_PLAN_FREE_MAX_BUNDLES: { reader: positive, fallback: '100' },
  SERVICE_PLAN_PRO_MAX_BUNDLES: { reader: positive, fallback: '10000' },
  SERVICE_PLAN_FREE_MAX_ORGANIZATIONS: { reader: positive, fallback: '5' },
  SERVICE_PLAN_PRO_MAX_ORGANIZATIONS: { reader: positive, fallback: '50' },
  SERVICE_PLAN_FREE_MAX_HISTORY_MB: { reader: positive, fallback: '64' },
  SERVICE_PLAN_PRO_MAX_HISTORY_MB: { reader: positive, fallback: '2048' },
  SERVICE_REQUIRE_VERIFIED_EMAIL: { reader: oneOf('true', 'false'), fallback: 'false' },
  SERVICE_SIGN_UP: { reader: oneOf('open', 'invited', 'closed'), fallback: 'open' },
  SERVICE_PASSWORD_SIGN_IN: { reader: oneOf('on', 'off'), fallback: 'on' },
  SERVICE_ALIASES: { reader: hosts, fallback: undefined },
  SERVICE_SHORT_PATHS: { reader: oneOf('on', 'off'), fallback: 'off' },
  SERVICE_ANONYMOUS_BUNDLES: { reader: oneOf('on', 'off'), fallback: 'on' },
  SERVICE_HOME_ORGANIZATION: { reader: handle, fallback: undefined },
  SMTP_URL: { reader: address('an smtp: or smtps: address', 'smtp:', 'smtps:'), fallback: undefined, isSecret: true },
  SERVICE_LOG_MAILS: { reader: oneOf('on', 'off'), fallback: undefined },
  SERVICE_MAIL_FROM: { reader: sender, fallback: undefined },
  OIDC_ISSUER: { reader: address('an http: or https: address', 'http:', 'https:'), fallback: undefined },
  OIDC_CLIENT_ID: { reader: anything, fallback: undefined },
  OIDC_CLIENT_SECRET: { reader: anything, fallback: undefined, isSecret: true },
  SERVICE_IDENTITY_WEBHOOK_SECRET: { reader: webhookSecrets, fallback: undefined, isSecret: true },
  SERVICE_PAYMENT_WEBHOOK_SECRET: { reader: webhookSecrets, fallback: undefined, isSecret: true },
  SERVICE_OUTGOING_PRIVATE_NETWORKS: { reader: oneOf('true', 'false'), fallback: 'false' },
  SERVICE_ICONS: { reader: oneOf('on', 'off'), fallback: 'on' },
  SERVICE_PICTURES_AHEAD: { reader: oneOf('on', 'off'), fallback: 'on' },
  SERVICE_INSPECT: { reader: oneOf('signed-in', 'anyone', 'off'), fallback: 'signed-in' },
  SERVICE_LINK_CHECKS: { reader: oneOf('on', 'off'), fallback: 'on' },
  SERVICE_BLOCKED_HOSTS_FILE: { reader: anything, fallback: undefined },
  SERVICE_BACKUP_DIR: { reader: anything, fallback: undefined },
  SERVICE_BACKUP_EVERY_HOURS: { reader: integer(8_760), fallback: '24' },
  SERVICE_BACKUP_KEEP: { reader: integer(10_000), fallback: '7' },
  SERVICE_COUNT_FLUSH_MS: { reader: integer(60_000, 100), fallback: '800' },
  SERVICE_DRAIN_MS: { reader: integer(8_000, 0), fallback: '1500' },
  SERVICE_METRICS_TOKEN: { reader: secret(16), fallback: undefined, isSecret: true },
  SERVICE_METRICS_PORT: { reader: integer(65_535), fallback: undefined },
  SERVICE_METRICS_HOST: { reader: host, fallback: '127.0.0.1' },
  SERVICE_SOURCE_URL: { reader: address('an http: or https: address', 'http:', 'https:'), fallback: undefined },
  SERVICE_EXTENSION_URL: { reader: page, fallback: undefined },
  SERVICE_SECURITY_CONTACT: {
    reader: text('a mailto: or https: address', /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]\S*)$/),
    fallback: undefined,
  },
  SERVICE_REQUEST_ID_HEADER: { reader: headerName, fallback: undefined },
  SERVICE_ACCESS_LOG: { reader: oneOf('off', 'errors', 'all'), fallback: 'off' },
  SERVICE_CACHE_MB: { reader: integer(1_048_576), fallback: undefined },
  LOG_LEVEL: { reader: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), fallback: 'info' },
} as const

type Setting = keyof typeof SETTINGS
type Read<S extends Setting> =
  | Exclude<ReturnType<(typeof SETTINGS)[S]['reader']['read']>, undefined>
  | ((typeof SETTINGS)[S]['fallback'] extends string ? never : undefined)

/** A wrong setting; the message is the one line printed at the start. */
export class BadSetting extends Error {}

/** A setting that may be right but could not be used: the port is taken, the database does not answer. */
export class UnusableSetting extends BadSetting {}

/** Prefixes of names that are treated as the service's settings: a misspelt one would silently leave a private instance open. */
const OURS = /^(?:SERVICE|OIDC|DATABASE|SMTP)_/

/** Whether Kubernetes or Docker set the variable in every container, for a neighbour called `service`, `database` or `smtp`. */
function isOfNeighbour(name: string, value: string): boolean {
  if (/_SERVICE_(?:HOST|PORT)(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP)(?:_[A-Z]+)?$/.test(name)) return true
  return name.endsWith('_PORT') && /^(?:tcp|udp):/.test(value)
}

/**
 * Refuses unknown names that look like settings.
 * @throws BadSetting with the nearest setting.
 */
export function refuseUnknown(env: Record<string, string | undefined>): void {
  const names = Object.keys(SETTINGS) as Setting[]
  const known = names.flatMap((name) => (isSecret(name) ? [name, `${name}${IN_FILE}`] : [name]))
  for (const [name, value] of Object.entries(env)) {
    if (!value || !OURS.test(name) || known.includes(name) || isOfNeighbour(name, value)) continue
    const [nearest = ''] = known.toSorted((one, two) => distance(name, one) - distance(name, two))
    throw new BadSetting(`${name} must be unset, because there is no such setting: did you mean ${nearest}?`)
  }
}

/** The suffix of a setting that names a file with a secret. */
const IN_FILE = '_FILE'

function isSecret(name: Setting): boolean {
  return 'isSecret' in SETTINGS[name]
}

/**
 * Reads one setting.
 * @throws BadSetting.
 */
export function readSetting<S extends Setting>(env: Record<string, string | undefined>, name: S): Read<S> {
  const { reader, fallback } = SETTINGS[name]
  // Shells and compose files write "unset" as an empty variable.
  const text = env[name] || fromFile(env, name) || fallback
  if (text === undefined) return undefined as Read<S>
  // Settings end up in headers and URLs, where a pasted line break would do harm.
  if (/\p{Cc}/u.test(text)) throw new BadSetting(`${name} must have no line breaks, tabs or other control characters`)
  const value = reader.read(text)
  if (value === undefined) throw new BadSetting(`${name} must be ${reader.mustBe}`)
  return value as Read<S>
}

/** The secret in the file that a setting names, without the line break that editors leave at the end. */
function fromFile(env: Record<string, string | undefined>, name: Setting): string | undefined {
  const setting = name + IN_FILE
  const path = isSecret(name) ? env[setting] : undefined
  if (!path) return undefined
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (text !== '') return text
  } catch (error) {
    throw settingError(setting, error, fileFault(path, 'read file'))
  }
  throw new BadSetting(`${setting} must name a file that is not empty`)
}

/**
 * The error for a setting that could not be used, with the first line of the cause.
 * @param fault a more exact cause in its file (files.ts).
 */
export function settingError(setting: string, error: unknown, fault: string | null = null): UnusableSetting {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return new UnusableSetting(`${setting} cannot be used: ${fault ?? dropFullStop(reason)}`)
}
