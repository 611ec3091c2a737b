import type { Path } from './issue.ts'

/** A bundle's links and rules, saved or not. */
export interface Linking {
  urls: readonly string[]
  resolutionPolicy: { rules: readonly { tabs: readonly { url: string }[] }[] } | null
}

/** Every link of a bundle, with its path in the API: its own first, then those of each rule. */
export function everyLink({ urls, resolutionPolicy }: Linking): { url: string; path: Path }[] {
  const rules = resolutionPolicy?.rules ?? []
  return [
    ...urls.map((url, at) => ({ url, path: ['urls', at] })),
    ...rules.flatMap(({ tabs }, rule) =>
      tabs.map(({ url }, at) => ({ url, path: ['resolutionPolicy', 'rules', rule, 'tabs', at, 'url'] })),
    ),
  ]
}

// Addresses for people. The end of a host names its owner (`bank.example.long.name.evil.example` belongs to `evil.example`), so a
// host is never cut there.

/** A host, such as `example.com:8080`, cut to `max` characters at its start. */
export function shortHost(host: string, max: number): string {
  return host.length <= max ? host : `…${host.slice(1 - max)}`
}

/** A URL in at most `max` characters, at most half of them for its host. Without credentials, which could look like a host. */
export function shownUrl(url: string, max: number): string {
  const { protocol, host, pathname, search, hash, username, password } = new URL(url)
  if (url.length <= max && username === '' && password === '') return url
  const shown = `${protocol}//${shortHost(host, max >> 1)}${pathname}${search}${hash}`
  return shown.length <= max ? shown : `${shown.slice(0, max - 1)}…`
}
