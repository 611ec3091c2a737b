/**
 * The id of the element that htmx will put the answer into, `''` if it has none; null for a request for a whole page: a
 * browser’s own, or htmx restoring a page from history.
 */
export function htmxTarget({ headers }: Request): string | null {
  if (headers.get('hx-request') !== 'true' || headers.get('hx-request-type') !== 'partial') return null
  return headers.get('hx-target')?.split('#')[1] ?? ''
}
