/** The name of the host in a Referer header; null if it names none. */
export function domainOf(referrer: string): string | null {
  return referrer !== '' && URL.canParse(referrer) ? new URL(referrer).hostname || null : null
}

/** A Referer header without its path and query, which nobody needs to store. */
export function dropPath(referrer: string): string {
  const host = referrer.indexOf('://') + 3
  const path = referrer.indexOf('/', host)
  return path === -1 ? referrer : referrer.slice(0, path)
}

/**
 * The country in the header of a trusted proxy, as sent; null if there is none. Real codes only: proxies send XX for
 * “unknown”, and some send other pseudo-codes.
 */
export function countryOf(header: string): string | null {
  // Proxies append, so the last value is the trusted proxy’s.
  const code = header.slice(header.lastIndexOf(',') + 1).trim()
  return /^[A-Za-z]{2}$/.test(code) && code.toUpperCase() !== 'XX' ? code : null
}
