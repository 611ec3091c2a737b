/**
 * Whether only programs read what is at a URL. Works on the text: with a malformed Host the URL may not parse, and on Bun
 * without one it is only a path.
 */
export function isForMachines({ url }: Pick<Request, 'url'>): boolean {
  return /^(?:\w+:\/\/[^/]*)?\/(?:(?:api|register|oauth\/(?:register|token|revoke|introspect|device_authorization))(?:[/?#]|$)|\.well-known\/)/.test(
    url,
  )
}
