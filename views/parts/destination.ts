import { domainToUnicode } from 'node:url'

/** A URL split for display: `host` as browsers send it (punycode), `unicode` if it differs. */
interface Destination {
  /** The parsed URL, because the text `https:a.example` would be a relative link on an https page. */
  href: string
  host: string
  /** The host in its own script; null if that is the same text. */
  unicode: string | null
  /** Path, query and fragment; `''` for a bare host. */
  path: string
}

/** Splits a stored URL. */
export function destination(url: string): Destination {
  const { href, host, hostname, port, pathname, search, hash } = new URL(url)
  const unicode = hostname.includes('xn--') ? domainToUnicode(hostname) + (port === '' ? '' : `:${port}`) : host
  const path = `${pathname}${search}${hash}`
  return { href, host, unicode: unicode === host || unicode === '' ? null : unicode, path: path === '/' ? '' : path }
}

/** A host for display, followed by its punycode form if that differs. */
export function hostText({ host, unicode }: Pick<Destination, 'host' | 'unicode'>): string {
  return unicode === null ? host : `${unicode} (${host})`
}

/** The hosts of URLs, without repetitions. */
export function hostsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => destination(url).host))]
}

/** Decodes the braces of placeholders in a parsed path; parsing encodes them there but not in the query. */
export function withBraces(path: string, names: readonly string[]): string {
  return path.replace(/%7B(\w+)%7D/g, (whole, name: string) => (names.includes(name) ? `{${name}}` : whole))
}
