import { setImmediate as otherWork } from 'node:timers/promises'
import type { Met, Problem } from '../core/problem.ts'
import type { Download } from '../operations/operation.ts'
import { encode, encodingFor } from './encoding.ts'

/** The content type of pages. */
export const HTML = 'text/html; charset=utf-8'
/** That of JSON. The charset is for readers that take anything without one for Latin-1, such as PowerShell 5.1. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Every permission of a page is listed: nothing inline, nothing from another origin. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SECURITY = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Features that no page uses. Those used, copying and sharing, are allowed by browsers’ defaults. */
const PERMISSIONS_POLICY = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** Below this many bytes compression costs more than it saves. */
const WORTH_COMPRESSING = 860

/**
 * Bun sends each header of a larger answer on its own if the answer was not ready at once: 40 sends for a list, a third
 * of its cost (`bun run bench:writes list`). A stream is sent in two.
 */
const SENT_WHOLE = 16_000

/** The body of an answer, as the runtime sends it in the fewest parts. Of a stream, HEAD would not tell the length. */
function bodyOf(
  made: string | Uint8Array<ArrayBuffer>,
  method: string,
): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (made.length <= SENT_WHOLE || method === 'HEAD') return made
  const bytes = typeof made === 'string' ? new TextEncoder().encode(made) : made
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

/** The headers of every answer, plus `more`. */
export function headersWith(more: Record<string, string>): Headers {
  const headers = new Headers({ ...SECURITY, ...more })
  if (more['content-type'] === HTML) {
    headers.set('permissions-policy', PERMISSIONS_POLICY)
    // Some proxies rewrite pages: they hide what looks like an email address, in links too, or add scripts of their own.
    const kept = more['cache-control']
    headers.set('cache-control', kept === undefined ? 'no-transform' : `${kept}, no-transform`)
  }
  return headers
}

/** A JSON answer to a request with this method. */
export function json(body: unknown, status: number, headers: Record<string, string> = {}, method = 'GET'): Response {
  return new Response(bodyOf(JSON.stringify(body), method), {
    status,
    headers: headersWith({ 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...headers }),
  })
}

/** An answer without a body. */
export function empty(status: number, headers: Record<string, string> = {}): Response {
  const answer = new Response(null, { status, headers: NO_STORE })
  for (const name in headers) answer.headers.set(name, headers[name]!)
  return answer
}

/** Cloned for each answer, at a fifth of the cost of building it. */
const NO_STORE = headersWith({ 'cache-control': 'no-store' })

/** Whether a client that reads again has this version of an answer already (`If-None-Match`, compared weakly). */
export function isUnchanged({ method, headers }: Request, etag: string | undefined): boolean {
  const known = etag === undefined ? null : headers.get('if-none-match')
  if (known === null || (method !== 'GET' && method !== 'HEAD')) return false
  // As much as holds any number of ETags that a client keeps of one address.
  return (
    known.trim() === '*' ||
    known
      .slice(0, 1_000)
      .split(',')
      .some((one) => originalEtag(one) === etag)
  )
}

/**
 * An ETag as this service sent it. Proxies that compress an answer make its ETag weak or add the encoding to it, and not all
 * take it away again: Caddy appends `-zstd`, Apache `-gzip` or `;gzip`, Jetty `--gzip`.
 */
export function originalEtag(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/(?:--?|;)(?:gzip|br|zstd|deflate)(?="$)/, '')
}

/** An error as JSON, always of the same shape. */
export function jsonProblem(problem: Problem, met: Met): Response {
  return json(problem.body(met), problem.status, { ...problem.headers, 'x-request-id': met.requestId })
}

/** A page or file generated for this request, compressed if the client accepts it. */
export function text(
  request: Request,
  body: string,
  { type, status = 200, headers = {} }: { type: string; status?: number; headers?: Record<string, string> },
): Response {
  const encoding = body.length < WORTH_COMPRESSING ? 'identity' : encodingFor(request)
  return new Response(bodyOf(encode(body, encoding, 'once'), request.method), {
    status,
    headers: headersWith({
      'content-type': type,
      'cache-control': 'no-store',
      vary: 'Accept-Encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      ...headers,
    }),
  })
}

/**
 * A body generated while it is sent, no faster than the client reads and yielding to other requests between parts. If
 * generating fails, the body is cut off, which clients report as a failed download.
 * @param failed gets the error.
 */
export function streamParts(
  { filename, parts }: Download,
  headers: Record<string, string>,
  failed: (error: unknown) => void,
): Response {
  const made = parts[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // A file store answers without waiting, so nothing else would get a turn.
          await otherWork()
          const { done, value } = await made.next()
          if (done === true) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          failed(error)
          controller.error(error)
        }
      },
      async cancel() {
        await made.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  const more = {
    'content-type': JSON_TYPE,
    ...(filename === null ? {} : { 'content-disposition': `attachment; filename="${filename}"` }),
    'cache-control': 'no-store',
    ...headers,
  }
  return new Response(body, { headers: headersWith(more) })
}

/** Redirects a browser to another page, with the cookies set by `from`. */
export function seeOther(location: string, from?: Response): Response {
  const headers = headersWith({ location, 'cache-control': 'no-store' })
  for (const cookie of from?.headers.getSetCookie() ?? []) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
