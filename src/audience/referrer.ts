/** The name of the host in a Referer header; null if it names none. */
export function domainOf(referrer: string): string | null {
  return referrer !== '' && URL.canParse(referrer) ? new URL(referrer).hostname || null : null
}

/** A Referer header without its path and query, which nobody need remember. */
export function withoutPath(referrer: string): string {
  const host = referrer.indexOf('://') + 3
  const path = referrer.indexOf('/', host)
  return path === -1 ? referrer : referrer.slice(0, path)
}
