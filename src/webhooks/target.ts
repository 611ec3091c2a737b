import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isReachable } from './addresses.ts'

/** Why a request was not sent, or got no answer. Says nothing that the person who named its URL could not know. */
export class NotSent extends Error {
  /** @param must what the URL must do, if it is at fault: the end of "it must …". */
  constructor(
    message: string,
    readonly must: string | null = null,
  ) {
    super(message)
  }
}

function unfit(must: string): NotSent {
  return new NotSent(`its URL must ${must}`, must)
}

/** To where requests may go. */
export interface Guard {
  /** Whether the operator allows requests to the intranet. */
  privateNetworks: boolean
  /** The machine’s own, except in tests. */
  resolver?: Pick<Resolver, 'resolve4' | 'resolve6'>
}

/** A URL with the addresses that were checked: nothing else may be connected to. */
export interface Target {
  url: URL
  /** As it is in names and certificates, without the brackets of an IPv6 address. */
  host: string
  addresses: LookupAddress[]
}

/** Ports that browsers refuse too, because other protocols live there; below 1024 only those of the Web are allowed. */
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Why requests may not go to a URL, as the end of "it must …", or null. Its host is not looked up. */
function unfitTarget({ protocol, username, password, port }: URL): string | null {
  if (protocol !== 'https:' && protocol !== 'http:') return 'begin with https: or http:'
  if (username !== '' || password !== '') return 'have no user name or password: check the signature instead'
  const number = Number(port || 443)
  const isAllowed = number >= 1024 ? !OTHER_PROTOCOLS.has(number) : number === 80 || number === 443
  return isAllowed ? null : 'have a port that web servers use: 80, 443, or one above 1023 that browsers do not refuse'
}

/** The one answer for names without an address and names with a private one, so that nobody can map a network by it. */
const NOT_PUBLIC = 'lead to a public address'
/** What it is where private addresses are allowed. */
const UNKNOWN = 'have a host that name servers know; /etc/hosts does not count'

/**
 * Checks a URL and looks its host up, once: the request must go to one of the addresses found here, because a name may
 * lead elsewhere a moment later.
 * @throws NotSent if it may not be requested.
 */
export async function targetOf(url: URL, { privateNetworks, resolver }: Guard): Promise<Target> {
  const reason = unfitTarget(url)
  if (reason !== null) throw unfit(reason)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolver) : [{ address: host, family: isIP(host) }]
  if (addresses.length === 0) throw unfit(privateNetworks ? UNKNOWN : NOT_PUBLIC)
  if (!addresses.every(({ address }) => isReachable(address, { privateNetworks }))) throw unfit(NOT_PUBLIC)
  return { url, host, addresses }
}

/**
 * Asks name servers, without the system’s function for it: that would let a few slow name servers of an attacker occupy all
 * threads, which also hash passwords. So `/etc/hosts` does not count.
 */
async function addressesOf(
  host: string,
  resolver: Guard['resolver'] = new Resolver({ timeout: 2_000, tries: 2 }),
): Promise<LookupAddress[]> {
  // Not every name server knows it (RFC 6761).
  if (/^(.*\.)?localhost\.?$/.test(host)) return LOOPBACK
  const none = (): string[] => []
  const [four, six] = await Promise.all([resolver.resolve4(host).catch(none), resolver.resolve6(host).catch(none)])
  return [...four.map((address) => ({ address, family: 4 })), ...six.map((address) => ({ address, family: 6 }))]
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
