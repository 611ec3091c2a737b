/** Far more than metadata or tokens take. */
const MAX_OAUTH_BYTES = 64 * 1024
/** More than a page of a list takes: 100 bundles of 25 links with notes. */
export const MAX_API_BYTES = 16 * 1024 * 1024

/** An answer that ends in an error beyond so many bytes: an instance could send without end. */
export function bounded(answer: Response, maxBytes: number): Response {
  if (answer.body === null) return answer
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) controller.error(new Error('the answer is too long'))
      else controller.enqueue(chunk)
    },
  })
  return new Response(answer.body.pipeThrough(counting), answer)
}

/** The JSON object in an answer of OAuth; empty if there is none. */
export async function objectIn(answer: Response): Promise<Record<string, unknown>> {
  const said: unknown = await bounded(answer, MAX_OAUTH_BYTES)
    .json()
    .catch(() => null)
  return typeof said === 'object' && said !== null ? { ...said } : {}
}

/** A text of an instance for its user: one line of at most so many characters; null for none. */
export function lineIn(said: unknown, maxCharacters: number): string | null {
  if (typeof said !== 'string') return null
  const line = said.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line === '' ? null : [...line].slice(0, maxCharacters).join('')
}
