import ipaddr from 'ipaddr.js'

// To which addresses the service may send requests (decisions 15): whoever names a URL must not reach through us what
// they cannot reach themselves.

/** What an intranet has besides. Link-local addresses are not among them: clouds hand out credentials there. */
const INTRANET: readonly string[] = ['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']

/** Services of clouds for their own machines, at addresses outside the ranges made for that. */
const CLOUD_SERVICES = [
  ...['168.63.129.16/32', '100.100.100.200/32'],
  ...['fd00:ec2::/32', 'fd20:ce::/32', 'fd00:42::/32', 'fd00:c1::/32'],
].map((network) => ipaddr.parseCIDR(network))

/** All of IPv6 that is in use by the public. The rest is local, or leads to IPv4 by a translator. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether requests may go to an address: only to public ones, unless the operator allows the intranet too. */
export function isReachable(address: string, { privateNetworks }: { privateNetworks: boolean }): boolean {
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
