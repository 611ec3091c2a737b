import type { Config } from '../config.ts'
import type { CallContext } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import type { Caller } from '../identity/caller.ts'
import { identify } from '../identity/identify.ts'
import { network } from '../limits/network.ts'
import type { Service } from '../service.ts'

const ADDRESS = Symbol('client address')

/** A request on its way, with the address that the front door has settled. */
type Addressed = Request & { [ADDRESS]?: string }

/**
 * Puts the client's address on its request before Elysia sees that: it has no place for it that both runtimes fill. A
 * WeakMap of requests would cost each of them several times as much, when it is collected too.
 */
export function setClientAddress(request: Addressed, address: string): void {
  request[ADDRESS] = address
}

/** The client's address; empty where nobody knows it. */
export function clientAddress(request: Addressed): string {
  return request[ADDRESS] ?? ''
}

/** Headers of proxies, tunnels and content networks, by how they begin or end. */
const FORWARDING =
  /^(?:forwarded|via|cdn-loop|x-forwarded|x-real-ip|x-original-|x-envoy-|x-azure-|x-amz|cf-|fly-|fastly-)|client-ip$/

/** Whether somebody else handed a request on: it may come from anywhere, whatever address it arrived from. */
export function isForwarded({ headers }: Request): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name))
}

/** The client's address as limits know it. */
export function clientNetwork(request: Request): string {
  return network(clientAddress(request))
}

/**
 * Who asks and how, from a request's headers.
 * @throws Problem UNAUTHORIZED for a bad credential, FORBIDDEN for a browser sent by another site.
 */
export function asking(request: Request, service: Service): CallContext | Promise<CallContext> {
  const caller = identify(request.headers, clientNetwork(request), service)
  return caller instanceof Promise
    ? caller.then((known) => askedBy(known, request, service))
    : askedBy(caller, request, service)
}

function askedBy(caller: Caller, request: Request, { config }: Service): CallContext {
  const { headers, method } = request
  if (caller.kind === 'session' && method !== 'GET' && method !== 'HEAD') refuseOtherSites(request, config)
  const client = headers.get('service-client')
  return {
    caller,
    client: client !== null && /^[A-Za-z0-9._-]{1,40}\/[A-Za-z0-9._-]{1,40}$/.test(client) ? client : null,
    source: 'api',
    conditions: () => ({ idempotencyKey: headers.get('idempotency-key'), expectedVersion: readIfMatch(headers) }),
  }
}

/**
 * A cookie proves a browser, not that its user meant this: what changes something must come from our own
 * pages (decisions 9). Callers that are no browser send neither header.
 * @throws Problem FORBIDDEN.
 */
export function refuseOtherSites({ headers }: Request, { origin }: Pick<Config, 'origin'>): void {
  const site = headers.get('sec-fetch-site')
  const from = headers.get('origin')
  const isOurs = site === null ? from === null || from === origin : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new Problem('FORBIDDEN', `This must be done from a page of ${origin}, not from another site.`)
}

function readIfMatch(headers: Headers): number | null {
  const match = headers.get('if-match')?.trim()
  if (match === undefined || match === '*') return null
  // A proxy that compresses an answer makes its ETag a weak one (decisions 1).
  const version = /^(?:W\/)?"v(\d{1,15})"$/.exec(match)?.[1]
  if (version === undefined) throw new Problem('BAD_REQUEST', 'If-Match must be the ETag of a bundle: "v<N>"')
  return Number(version)
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/

/** No zeros in front, no dots, not all eight groups and not `::ffff:`: what is written otherwise is looked at more closely. */
const SHORT_IPV6 = /^(?!::ffff:)(?:[1-9a-f][\da-f]{0,3}|0|:)(?::(?:[1-9a-f][\da-f]{0,3}|0)?)+$/

let loadedNet: typeof import('node:net') | undefined

/** Loaded behind a proxy alone: the start needs nothing else of it, and it takes half a megabyte. */
function net() {
  loadedNet ??= process.getBuiltinModule('node:net')
  return loadedNet
}

/** The address that a proxy has written, perhaps with a port, in plain form; null for what is no address. */
export function addressIn(field: string): string | null {
  const [, bracketed, dotted] = /^(?:\[(.*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(field.trim()) ?? []
  const text = plainAddress(bracketed ?? dotted ?? field)
  if (IPV4.test(text)) return text
  // As proxies write it mostly; the parser of URLs would cost a launcher a fifth of its time.
  if (SHORT_IPV6.test(text) && net().isIPv6(text)) return text
  const host = `http://[${text}]`
  if (!/^[\da-f:.]+$/.test(text) || !URL.canParse(host)) return null
  // Written in one way, whichever of the many it came in.
  const address = new URL(host).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16))
  return bytes.join('.')
}

/** An address as it is written once: an IPv4 client on a dual-stack socket comes as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  const plain = address.trim().toLowerCase()
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice('::ffff:'.length) : plain
}
