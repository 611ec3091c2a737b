import { timingSafeEqual } from 'node:crypto'
import { expectationIn } from '../core/issue-words.ts'
import { keyedHash } from '../core/secrets.ts'
import { CONTROLS, isAscii, unfit } from '../core/text.ts'

/** An app that signs in with OAuth. Its claims about itself are verified only if it has a `publisher`. */
export interface App {
  /** Its client id. */
  id: string
  name: string
  /** The addresses that it may send browsers back to. */
  redirectUris: readonly string[]
  /** When it registered, in seconds since 1970; 0 if it never did. */
  registeredAt: number
  /** Whether it may sign in without a browser, by a code that its user types in elsewhere (RFC 8628). */
  isForDevices: boolean
  /** The host whose document states all this; null if the app states it by itself. */
  publisher: string | null
}

/** The service’s own command, on computers without a browser. The name proves nothing: anybody can send this id. */
export const OWN_COMMAND: App = {
  id: 'openall-cli',
  name: 'Openall command line',
  redirectUris: [],
  registeredAt: 0,
  isForDevices: true,
  publisher: null,
}

const MAX_NAME = 100
const MAX_REDIRECTS = 10
/** For all redirect URIs together, because they are part of the client’s id, and so of URLs. */
const MAX_REDIRECT_CHARACTERS = 1000

/**
 * Registers an app without storing anything, as RFC 7591 (A.5.2) suggests: its id is its signed registration, so that a flood
 * of registrations takes no storage.
 */
export function registerApp(
  { name, redirectUris, isForDevices = false }: Pick<App, 'name' | 'redirectUris'> & Partial<Pick<App, 'isForDevices'>>,
  secret: string,
): App {
  const registeredAt = Math.floor(Date.now() / 1000)
  const said = Buffer.from(JSON.stringify([registeredAt, name, ...redirectUris])).toString('base64url')
  return {
    id: `${said}.${signature(said, isForDevices, secret)}`,
    name,
    redirectUris,
    registeredAt,
    isForDevices,
    publisher: null,
  }
}

/** The app with a client id, or null if this service did not make the id. */
export function appOf(id: string, secret: string): App | null {
  if (id === OWN_COMMAND.id) return OWN_COMMAND
  const [said = '', signed = '', ...more] = id.split('.')
  const isForDevices = isSame(signed, signature(said, true, secret))
  if (more.length > 0 || !(isForDevices || isSame(signed, signature(said, false, secret)))) return null
  const [registeredAt, name, ...redirectUris] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
    number,
    string,
  ]
  return { id, name, redirectUris, registeredAt, isForDevices, publisher: null }
}

/** The label tells whether the app may use device codes. Without them it is the old one, so that older ids stay valid. */
function signature(said: string, isForDevices: boolean, secret: string): string {
  return keyedHash(secret, isForDevices ? 'oauth client for devices' : 'oauth client', said)
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Why an app’s name is not acceptable, as the end of "it must be …", or null. */
export function unfitName(name: string): string | null {
  if (name === '') return 'a name with text in it'
  const unfitting = unfit(name, MAX_NAME, CONTROLS)
  return unfitting && expectationIn(unfitting)
}

/** Why redirect URIs are not acceptable, as a sentence, or null. */
export function unfitRedirects(uris: readonly string[]): string | null {
  if (uris.length === 0 || uris.length > MAX_REDIRECTS) return `redirect_uris must be 1 to ${MAX_REDIRECTS} URIs`
  if (uris.join('').length > MAX_REDIRECT_CHARACTERS) {
    return `redirect_uris must be at most ${MAX_REDIRECT_CHARACTERS} characters together`
  }
  const at = uris.findIndex((uri) => !isRedirect(uri))
  return at === -1
    ? null
    : `redirect_uris[${at}] must be https:, http: on this computer, or an app’s own scheme, which has a dot: com.example.app:`
}

/**
 * A private scheme is a reversed domain (RFC 8252, 7.1), and so has a dot. One without a dot may be a scheme on which the
 * system or the browser acts by itself: `ms-msdt:`, `search-ms:`, `feed:`, `javascript:`.
 */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/
/** Schemes without a dot, of programs that sign in over MCP. */
const KNOWN_SCHEME = /^(?:claude|cursor|kiro|vscode|vscode-insiders|vscodium|windsurf|zed):$/

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/

function isRedirect(uri: string): boolean {
  // Browsers read a backslash as a slash, but not all parsers do.
  if (!isAscii(uri) || /[\\#]/.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return /^[a-z0-9.-]+$|^\[[\da-f:]+\]$/.test(hostname)
  if (protocol === 'http:') return LOOPBACK.test(hostname)
  return PRIVATE_SCHEME.test(protocol) || KNOWN_SCHEME.test(protocol)
}

/**
 * Whether an app may send a browser to a URI. It must be registered exactly so; on this computer any port is allowed, because
 * programs get a free one when they start (RFC 8252, 7.3).
 */
export function mayRedirectTo({ redirectUris }: App, uri: string): boolean {
  // Checked here too, because ids from before a scheme was refused still have a valid signature.
  return isRedirect(uri) && (redirectUris.includes(uri) || redirectUris.some((own) => differOnlyInPort(own, uri)))
}

function differOnlyInPort(own: string, asked: string): boolean {
  const [a, b] = [new URL(own), new URL(asked)]
  if (a.protocol !== 'http:' || !LOOPBACK.test(a.hostname)) return false
  a.port = b.port
  return a.href === b.href
}

/** Stands for the redirect host of a device, which has no browser to redirect. */
export const DEVICE_HOST = 'device'

/** The target of a redirect URI, for people: a host, or an app’s own scheme. */
export function redirectHost(redirectUri: string): string {
  const { protocol, hostname } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? hostname : `${protocol}//`
}

/** Whether a redirect URI leads to a program on the user’s own computer. */
export function isOnThisComputer(host: string): boolean {
  return LOOPBACK.test(host) || host.endsWith('://')
}

/**
 * The id of the browser extension that a redirect host belongs to; null for any other host. Browsers give such an address to
 * that extension alone, in Firefox under a hash of its id. It proves nothing of the extension's name or maker.
 */
export function extensionIn(host: string): string | null {
  const [, chromium, firefox] =
    /^(?:([a-p]{32})\.chromiumapp\.org|([\da-f]{40})\.extensions\.allizom\.org)$/.exec(host) ?? []
  return chromium ?? firefox ?? null
}
