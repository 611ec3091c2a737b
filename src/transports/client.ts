import type { Config } from '../config.ts'
import { type Caller, identify, network } from '../identity/identify.ts'
import type { Asking } from '../operation.ts'
import { Problem } from '../problem.ts'
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

/** The client's address as limits know it. */
export function clientNetwork(request: Request): string {
  return network(clientAddress(request))
}

/**
 * Who asks and how, from a request's headers.
 * @throws Problem UNAUTHORIZED for a bad credential, FORBIDDEN for a browser sent by another site.
 */
export function asking(request: Request, service: Service): Asking | Promise<Asking> {
  const caller = identify(request.headers, clientNetwork(request), service)
  return caller instanceof Promise
    ? caller.then((known) => askedBy(known, request, service))
    : askedBy(caller, request, service)
}

function askedBy(caller: Caller, request: Request, { config }: Service): Asking {
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
  const version = /^"v(\d{1,15})"$/.exec(match)?.[1]
  if (version === undefined) throw new Problem('BAD_REQUEST', 'If-Match must be the ETag of a bundle: "v<N>"')
  return Number(version)
}

/** An address as it is written once: an IPv4 client on a dual-stack socket comes as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  const plain = address.trim().toLowerCase()
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice('::ffff:'.length) : plain
}
