import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { UnfitTarget } from '../core/issue.ts'
import { reasonIn } from '../core/issue-words.ts'
import { network } from '../limits/rate-limits.ts'
import type { Places, Turns } from './turns.ts'

// The addresses to which the service may send requests: the person who names a URL must not reach through the service what they
// cannot reach themselves.

/** Networks of an intranet. Link-local addresses are not among them: clouds hand out credentials there. */
const INTRANET: readonly string[] = ['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']

/** Cloud services for the cloud's own machines, at addresses outside the ranges reserved for that. */
const CLOUD_SERVICES = [
  ...['168.63.129.16/32', '100.100.100.200/32'],
  ...['fd00:ec2::/32', 'fd20:ce::/32', 'fd00:42::/32', 'fd00:c1::/32'],
].map((network) => ipaddr.parseCIDR(network))

/** All IPv6 addresses in public use. The rest is local, or leads to IPv4 through a translator. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether requests may go to an address: only to public ones, unless the operator allows the intranet too. */
function isReachable(address: string, { privateNetworks }: { privateNetworks: boolean }): boolean {
  // A zone names an interface of this machine.
  if (!ipaddr.isValid(address) || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  const range: string = parsed.range()
  if (CLOUD_SERVICES.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))) {
    return false
  }
  if (range === 'unicast') return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST)
  return privateNetworks && INTRANET.includes(range)
}

/** Why a request was not sent, or got no answer. Reveals nothing that the person who named its URL could not know. */
export class NotSent extends Error {
  /** @param reason why the URL may not be requested, if the URL is at fault. */
  constructor(
    message: string,
    readonly reason: UnfitTarget | null = null,
  ) {
    super(message)
  }
}

function unfit(code: UnfitTarget['code']): NotSent {
  return new NotSent(`its URL ${reasonIn({ code })}`, { code })
}

/** The rules for allowed targets. */
export interface Guard {
  /** Whether the operator allows requests to the intranet. */
  privateNetworks: boolean
  /** The machine’s own, except in tests. */
  resolver?: Pick<Resolver, 'resolve4' | 'resolve6'>
  /** The process's name servers, except in tests. */
  turns?: Turns
}

/** A URL with its checked addresses: no other may be connected to. */
export interface Target {
  url: URL
  /** In the form of names and certificates, without the brackets of an IPv6 address. */
  host: string
  addresses: LookupAddress[]
  places: Places
}

/** Ports that browsers refuse too, because other protocols use them; below 1024 only those of the Web are allowed. */
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Why requests may not go to a URL, or null. Does not look up its host. */
function unfitTarget({ protocol, username, password, port }: URL): UnfitTarget['code'] | null {
  if (protocol !== 'https:' && protocol !== 'http:') return 'scheme_not_allowed'
  if (username !== '' || password !== '') return 'credentials_in_url'
  const number = Number(port || 443)
  const isAllowed = number >= 1024 ? !OTHER_PROTOCOLS.has(number) : number === 80 || number === 443
  return isAllowed ? null : 'port_not_allowed'
}

/** Names that lead nowhere in public: of machines on the local network, and reserved names. */
const LOCAL_NAME = /^[^.]*$|\.(?:localhost|local|internal|intranet|lan|home\.arpa|test|invalid|onion)\.?$/

/** Whether requests to a URL could ever be sent, judging by the URL alone: its host is not looked up. */
export function isEverReachable(url: URL, { privateNetworks }: Pick<Guard, 'privateNetworks'>): boolean {
  if (unfitTarget(url) !== null) return false
  const host = hostnameOf(url)
  if (isIP(host) !== 0) return isReachable(host, { privateNetworks })
  return privateNetworks || !LOCAL_NAME.test(host)
}

/** In the form of names and certificates, without the brackets of an IPv6 address. */
const hostnameOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Checks a URL and looks its host up once: the request must go to one of the resulting addresses, because the name may lead
 * elsewhere a moment later.
 * @throws NotSent if it may not be requested.
 */
export async function targetOf(url: URL, { privateNetworks, resolver }: Guard): Promise<Target> {
  const reason = unfitTarget(url)
  if (reason !== null) throw unfit(reason)
  const host = hostnameOf(url)
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolver) : [{ address: host, family: isIP(host) }]
  // The same error for names without an address and names with a private one, so that nobody can map a network by it.
  if (addresses.length === 0) throw unfit(privateNetworks ? 'host_unknown' : 'address_not_public')
  if (!addresses.every(({ address }) => isReachable(address, { privateNetworks }))) throw unfit('address_not_public')
  // Each possible address has turns of its own, so a name must not have very many.
  const used = [4, 6].flatMap((four) => addresses.filter(({ family }) => family === four).slice(0, MAX_ADDRESSES))
  return { url, host, addresses: used, places: { site: hostOfTurns(url), blocks: [...new Set(used.map(blockOf))] } }
}

/** Maximum addresses of each family; the second is for when the first is down. */
const MAX_ADDRESSES = 2

/** The host of a URL for counting turns: without its port, or a dot at its end. */
export function hostOfTurns({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}

/** The block of addresses that usually has one owner. */
function blockOf({ address, family }: LookupAddress): string {
  return family === 6 ? network(address) : `${address.slice(0, address.lastIndexOf('.'))}.0/24`
}

/**
 * Asks name servers directly, because the system’s function would let a few slow name servers of an attacker occupy all threads,
 * which also hash passwords. So `/etc/hosts` does not count.
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
