/**
 * The network that limits count a client address as: IPv4 as it is, IPv6 by its /64, which is what one customer gets.
 * Expects the address in plain form.
 */
export function network(address: string): string {
  return address.includes(':') ? prefix(address, 4) : address
}

/** The wider network of an address: IPv4 as it is, IPv6 by its /48, the most that one site gets. */
export function widerNetwork(address: string): string {
  return address.includes(':') ? prefix(address, 3) : address
}

/** The first `count` groups of an IPv6 address or network. */
function prefix(address: string, count: number): string {
  const [head = '', tail] = address.replace(/\/\d+$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  const first = all.slice(0, count).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${first.join(':')}::/${count * 16}`
}
