/**
 * The id of the element that htmx will put the answer into, `''` where it has none; null for a request that wants
 * a whole page: a browser's own, or one of htmx for a page that it goes back to.
 */
export function htmxTarget({ headers }: Request): string | null {
  if (headers.get('hx-request') !== 'true' || headers.get('hx-request-type') !== 'partial') return null
  return headers.get('hx-target')?.split('#')[1] ?? ''
}
