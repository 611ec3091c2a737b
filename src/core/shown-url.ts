// Addresses as people are told them. Whose a site is says the end of its host: `bank.example.long.name.evil.example` is of
// `evil.example`. So a host is never cut there.

/** A host, such as `example.com:8080`, cut to `max` characters at its start. */
export function shortHost(host: string, max: number): string {
  return host.length <= max ? host : `…${host.slice(1 - max)}`
}

/** A URL in at most `max` characters, of which its host has a half at most; without credentials, which could look like a host. */
export function shownUrl(url: string, max: number): string {
  const { protocol, host, pathname, search, hash, username, password } = new URL(url)
  if (url.length <= max && username === '' && password === '') return url
  const shown = `${protocol}//${shortHost(host, max >> 1)}${pathname}${search}${hash}`
  return shown.length <= max ? shown : `${shown.slice(0, max - 1)}…`
}
