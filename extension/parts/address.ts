/** An instance that can't be connected, or a sign-in that came to nothing; the message is for its user. */
export class NotConnected extends Error {
  constructor(
    message: string,
    /** The protocol's name for it, if there is one. */
    readonly error: string | null = null,
  ) {
    super(message)
  }
}

/**
 * The origin of an instance that somebody typed or pasted: `openall.example`, or the address of any of its pages.
 * @throws NotConnected.
 */
export function originIn(typed: string): string {
  const text = typed.trim()
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
  const address = hasScheme ? text : `https://${text}`
  const { protocol, hostname, host, origin } = new URL(URL.canParse(address) && !/\s/.test(text) ? address : 'about:')
  if (!/^https?:$/.test(protocol)) throw new NotConnected('Type an address such as openall.example.')
  // Nobody has a certificate for their own computer.
  if (!hasScheme && isThisComputer(hostname)) return `http://${host}`
  if (!mayBePlain(origin))
    throw new NotConnected(`Type https://${hostname}: over http: others could read along and take your sign-in.`)
  return origin
}

/**
 * Whether an address may be asked: over https:, or over http: on this computer or a network of one's own, where the service
 * runs on names and addresses that have no certificates.
 */
export function mayBePlain(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && (isThisComputer(hostname) || isOwnNetwork(hostname)))
}

function isThisComputer(hostname: string): boolean {
  return /(?:^|\.)localhost$|^127(?:\.\d+){3}$|^\[::1\]$/.test(hostname)
}

/** Private addresses, names without a dot, and names that no public server may have (RFC 6762, RFC 8375, ICANN). */
function isOwnNetwork(hostname: string): boolean {
  return (
    /^(?:10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2})$/.test(hostname) ||
    /^\[f[cd][\da-f]{2}:/.test(hostname) ||
    /^[a-z\d-]+$/.test(hostname) ||
    /\.(?:local|internal|home\.arpa)$/.test(hostname)
  )
}
