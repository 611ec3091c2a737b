/** The name of the host in a Referer header; null if it names none. */
export function domainOf(referrer: string): string | null {
  return referrer !== '' && URL.canParse(referrer) ? new URL(referrer).hostname || null : null
}

/** Hosts as browsers send them, of sites and, in `android-app:`, of apps. */
const HOST = /^(?=.{1,253}$)(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])$/

/**
 * The site that a Referer header names, by its host alone; null if it names none, or the service itself.
 * @param authority the service's own host and port.
 */
export function siteOf(referrer: string, authority: string | undefined): string | null {
  const domain = domainOf(referrer)?.toLowerCase()
  if (domain === undefined || !HOST.test(domain)) return null
  return new URL(referrer).host === authority ? null : domain
}

/** A Referer header without its path and query, which nobody need remember. */
export function withoutPath(referrer: string): string {
  const host = referrer.indexOf('://') + 3
  const path = referrer.indexOf('/', host)
  return path === -1 ? referrer : referrer.slice(0, path)
}
