import type { Audience } from '../../db/rights.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import { identify } from '../identity/identify.ts'
import { network } from '../limits/network.ts'
import type { CallContext } from '../operations/operation.ts'
import { originalEtag } from './respond.ts'

const ADDRESS = Symbol('client address')

/** A request with the client’s address determined as it came in. */
type Addressed = Request & { [ADDRESS]?: string }

/**
 * Stores the client’s address on its request, because Elysia has no field for it that both runtimes fill. A WeakMap
 * would cost several times as much per request, garbage collection included.
 */
export function setClientAddress(request: Addressed, address: string): void {
  request[ADDRESS] = address
}

/** The client’s address; empty if unknown. */
export function clientAddress(request: Addressed): string {
  return request[ADDRESS] ?? ''
}

/** Headers that proxies, tunnels and CDNs add, by prefix or suffix. */
const FORWARDING =
  /^(?:forwarded|via|cdn-loop|x-forwarded|x-real-ip|x-original-|x-envoy-|x-azure-|x-amz|cf-|fly-|fastly-)|client-ip$/

/** Whether a proxy forwarded a request: then the socket’s address says nothing about its origin. */
export function isForwarded({ headers }: Request): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name))
}

/** Where a request comes from, for `identify`. */
export function clientOrigin(request: Request) {
  const address = clientAddress(request)
  return { address, network: network(address) }
}

/** The client’s address as rate limits key it. */
export function clientNetwork(request: Request): string {
  return network(clientAddress(request))
}

/**
 * Identifies the caller from a request’s headers.
 * @param at the part of the service that is asked.
 * @throws Problem UNAUTHORIZED for a bad credential, FORBIDDEN for a browser request from another site.
 */
export function callContext(
  request: Request,
  service: Service,
  at: Audience = 'api',
): CallContext | Promise<CallContext> {
  const caller = identify(request.headers, clientOrigin(request), service, at)
  return caller instanceof Promise
    ? caller.then((known) => contextOf(known, request, service))
    : contextOf(caller, request, service)
}

function contextOf(caller: Caller, request: Request, { config }: Service): CallContext {
  const { headers, method } = request
  if (caller.kind === 'session' && method !== 'GET' && method !== 'HEAD') refuseOtherSites(request, config)
  const client = headers.get('service-client')
  return {
    caller,
    client: client !== null && /^[A-Za-z0-9._-]{1,40}\/[A-Za-z0-9._-]{1,40}$/.test(client) ? client : null,
    source: 'api',
    viewer: request,
    conditions: () => ({ idempotencyKey: headers.get('idempotency-key'), ...readIfMatch(headers) }),
  }
}

/**
 * Whether a page of the service sent a request, or no page at all: clients other than browsers send neither header, and
 * browsers send the second alone to plain http.
 */
export function isFromOwnPage({ headers }: Request, { origin }: Pick<Config, 'origin'>): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const from = headers.get('origin')
  return from === null || from === origin
}

/**
 * A cookie identifies a browser, but does not prove that its user intended the request: changes must come from our own
 * pages.
 * @throws Problem FORBIDDEN.
 */
export function refuseOtherSites(request: Request, config: Pick<Config, 'origin'>): void {
  if (!isFromOwnPage(request, config)) throw fromOtherSite(config)
}

/** The refusal of a request that a page of another site sent. */
export function fromOtherSite({ origin }: Pick<Config, 'origin'>): Problem {
  return new Problem('FORBIDDEN', `This must be done from a page of ${origin}, not from another site.`, {
    userMessage: `To keep your account safe, this only works from ${origin}. Open it there and try again.`,
  })
}

const ANY_VERSION = { expectedVersion: null }
const NO_ETAG = { expectedVersion: null, wrong: [{ path: ['If-Match'], reason: { code: 'not_an_etag' } }] } as const

function readIfMatch(headers: Headers): Omit<ReturnType<CallContext['conditions']>, 'idempotencyKey'> {
  const match = headers.get('if-match')?.trim()
  if (match === undefined || match === '*') return ANY_VERSION
  const version = /^"v(\d{1,15})"$/.exec(originalEtag(match))?.[1]
  return version === undefined ? NO_ETAG : { expectedVersion: Number(version) }
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/

/** The usual short form: no leading zeros, no dots, not `::ffff:`. Anything else takes the slow path. */
const SHORT_IPV6 = /^(?!::ffff:)(?:[1-9a-f][\da-f]{0,3}|0|:)(?::(?:[1-9a-f][\da-f]{0,3}|0)?)+$/

let loadedNet: typeof import('node:net') | undefined

/** Loaded only behind a proxy: it takes half a megabyte, and nothing else needs it at startup. */
function net() {
  loadedNet ??= process.getBuiltinModule('node:net')
  return loadedNet
}

/** The address in a proxy’s header, possibly with a port, in plain form; null if it is not an address. */
export function addressIn(field: string): string | null {
  const [, bracketed, dotted] = /^(?:\[(.*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(field.trim()) ?? []
  const text = plainAddress(bracketed ?? dotted ?? field)
  if (IPV4.test(text)) return text
  // The form that proxies usually write; the URL parser would make a launcher a fifth slower.
  if (SHORT_IPV6.test(text) && net().isIPv6(text)) return text
  const host = `http://[${text}]`
  if (!/^[\da-f:.]+$/.test(text) || !URL.canParse(host)) return null
  // Normalised, whatever form it came in.
  const address = new URL(host).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16))
  return bytes.join('.')
}

/** An address in its plain form: on a dual-stack socket an IPv4 client appears as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  const plain = address.trim().toLowerCase()
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice('::ffff:'.length) : plain
}
