/**
 * The country in the header of a trusted proxy, as sent; null if there is none. Real codes only: proxies send XX for
 * “unknown”, and some send other pseudo-codes.
 */
export function countryOf(header: string): string | null {
  // Proxies append, so the last value is the trusted proxy’s.
  const code = header.slice(header.lastIndexOf(',') + 1).trim()
  return /^[A-Za-z]{2}$/.test(code) && code.toUpperCase() !== 'XX' ? code : null
}
