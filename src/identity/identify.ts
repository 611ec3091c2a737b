import { Problem } from '../problem.ts'

/** Who is calling. */
export interface Caller {
  kind: 'anonymous'
  /** The client address; an IPv6 one stands for its /64, which is what one customer is given. */
  address: string
}

/**
 * The caller behind a request's credentials (spec 5, decisions 3).
 * @throws Problem UNAUTHORIZED for a credential that is not valid: it is never taken as anonymous.
 */
export function identify(headers: Headers, address: string): Caller {
  if (headers.has('authorization')) {
    throw new Problem('UNAUTHORIZED', 'The API key is not valid. Check it, or send no Authorization header.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  return { kind: 'anonymous', address: network(address) }
}

/** IPv4 as it is, IPv6 by its /64 (decisions 4, 8). Expects what `plainAddress` gives. */
function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`
}
