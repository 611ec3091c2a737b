import { identify } from '../identity/identify.ts'
import type { Asking } from '../operation.ts'

/**
 * The client address of each request under way. Elysia has no place for it that both runtimes fill, so the
 * front door puts it here before Elysia sees the request.
 */
export const clientAddresses = new WeakMap<Request, string>()

/**
 * Who asks and how, from a request's headers.
 * @throws Problem UNAUTHORIZED for a bad credential.
 */
export function asking(request: Request): Asking {
  const { headers } = request
  const client = headers.get('service-client')
  return {
    caller: identify(headers, clientAddresses.get(request) ?? ''),
    client: client !== null && /^[A-Za-z0-9._-]{1,40}\/[A-Za-z0-9._-]{1,40}$/.test(client) ? client : null,
    idempotencyKey: headers.get('idempotency-key'),
  }
}

/** An address as it is written once: an IPv4 client on a dual-stack socket comes as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  const plain = address.trim().toLowerCase()
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice('::ffff:'.length) : plain
}
