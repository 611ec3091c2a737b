// Hosts as serialised by the URL parser (WHATWG), which already unifies 0x7f.1, 2130706433 and 127.0.0.1.

/** A host in canonical form: no trailing dots, IPv4-mapped addresses as IPv4. */
export function plainHost(hostname: string): string {
  let end = hostname.length
  while (end > 0 && hostname[end - 1] === '.') end -= 1
  const host = hostname.slice(0, end)
  const groups = groupsOf(host)
  return groups !== null && startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) ? dotted(groups, 6) : host
}

/** IPv6 prefixes that embed an IPv4 address, and the group where it starts: IPv4-compatible, NAT64, 6to4. */
const IPV4_PREFIXES = [
  { prefix: [0, 0, 0, 0, 0, 0], at: 6 },
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { prefix: [0x64, 0xff9b, 1], at: 6 },
  { prefix: [0x2002], at: 1 },
]

/** The IPv4 address embedded in an IPv6 address; null for any other host. */
export function embeddedIpv4(host: string): string | null {
  const groups = groupsOf(host)
  const carrier = groups === null ? undefined : IPV4_PREFIXES.find(({ prefix }) => startsWith(groups, prefix))
  return groups === null || carrier === undefined ? null : dotted(groups, carrier.at)
}

/** The eight groups of an IPv6 address, which URLs abbreviate and bracket; null for any other host. */
function groupsOf(host: string): number[] | null {
  if (!host.startsWith('[')) return null
  const [before = '', after] = host.slice(1, -1).split('::')
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [head, tail] = [read(before), read(after ?? '')]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function startsWith(groups: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((group, at) => groups[at] === group)
}

function dotted(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
