import ipaddr from 'ipaddr.js'

/**
 * A network in its usual form, such as `10.0.0.0/8` or `2001:db8::/32`; a single address is a network too. Null for any other
 * text, including an IPv4 address written as IPv6, because clients are compared in plain form.
 */
export function networkIn(text: string): string | null {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text.trim()) ?? []
  const isFour = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!isFour && (!ipaddr.IPv6.isValid(address) || ipaddr.IPv6.parse(address).isIPv4MappedAddress())) return null
  const most = isFour ? 32 : 128
  const length = bits === undefined ? most : Number(bits)
  if (length > most) return null
  const cidr = `${address}/${length}`
  const first = isFour
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(cidr).toRFC5952String()
  return `${first}/${length}`
}

/** Whether an address in plain form, or a whole network, lies in one of some networks in their usual form. */
export function isWithin(networks: readonly string[], address: string): boolean {
  const network = networkIn(address)
  if (network === null) return false
  const [inner, innerBits] = ipaddr.parseCIDR(network)
  return networks.some((one) => {
    const [outer, bits] = ipaddr.parseCIDR(one)
    return inner.kind() === outer.kind() && bits <= innerBits && inner.match(outer, bits)
  })
}
