import { domainToUnicode } from 'node:url'

/** A URL taken apart for reading: `host` as browsers send it (punycode), `unicode` where it reads otherwise. */
export interface Destination {
  /** The parsed form: `https:a.example` is a whole URL by itself, and a relative one in a link of an https page. */
  href: string
  host: string
  /** The host in its own script; null where that is the same text. */
  unicode: string | null
  /** Path, query and fragment; `''` for a bare host. */
  path: string
}

/** Takes a stored URL apart. */
export function destination(url: string): Destination {
  const { href, host, hostname, port, pathname, search, hash } = new URL(url)
  const unicode = hostname.includes('xn--') ? domainToUnicode(hostname) + (port === '' ? '' : `:${port}`) : host
  const path = `${pathname}${search}${hash}`
  return { href, host, unicode: unicode === host || unicode === '' ? null : unicode, path: path === '/' ? '' : path }
}

/** The hosts that links lead to, each once. */
export function hostsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => destination(url).host))]
}
