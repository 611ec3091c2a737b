import { setImmediate as otherWork } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import { html } from '@elysiajs/html'
import { Elysia } from 'elysia'
import { HeaderValues, parseAccept } from '../core/header-values.ts'
import type { Met, Problem } from '../core/problem.ts'
import type { Encoding } from '../launcher/cached.ts'
import type { Download } from '../operations/operation.ts'

/** The content type of pages. */
export const HTML = 'text/html; charset=utf-8'
/** The content type of JSON. The charset is for readers whose default is Latin-1, such as PowerShell 5.1. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Lists every permission of a page: nothing inline, nothing from another origin. */
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

/** Features that no page uses. Browsers allow the used ones, copying and sharing, by default. */
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
 * Larger bodies are streamed. Otherwise Bun sends each of their headers separately if the answer was not ready at once: 40 sends
 * for a list, a third of its cost (`bun run bench:writes list`). A stream takes two sends.
 */
const SENT_WHOLE = 16_000

/** The body of an answer, in the form that takes the fewest sends. For HEAD, a stream would lose the length. */
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
    // Some proxies rewrite pages: they obscure apparent email addresses, even in links, or add scripts of their own.
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

/** Whether the client already has this version of an answer (`If-None-Match`, compared weakly). */
export function isUnchanged({ method, headers }: Request, etag: string | undefined): boolean {
  const known = etag === undefined ? null : headers.get('if-none-match')
  if (known === null || (method !== 'GET' && method !== 'HEAD')) return false
  // Long enough for all ETags that a client keeps for one address.
  return (
    known.trim() === '*' ||
    known
      .slice(0, 1_000)
      .split(',')
      .some((one) => isEtagOf(one, etag!))
  )
}

/** What Caddy (`-zstd`), Apache (`-gzip`, `;gzip`) and Jetty (`--gzip`) append to the ETag of an answer that they compress. */
const ENDING = /(?:--?|;)(?:gzip|br|zstd|deflate)"$/

/**
 * The original ETag of this service, for one that does not end in a hyphen. Proxies that compress an answer make its ETag weak or
 * append the encoding, and not all undo this.
 */
export function originalEtag(tag: string): string {
  return tag.trim().replace(/^W\//, '').replace(ENDING, '"')
}

/** Whether a sent ETag is this one, as it is or as a proxy changed it. A hash may end in a hyphen, so it is compared first. */
function isEtagOf(sent: string, etag: string): boolean {
  const start = etag.slice(0, -1)
  const strong = sent.trim().replace(/^W\//, '')
  return strong.startsWith(start) && `"${strong.slice(start.length)}`.replace(ENDING, '"') === '""'
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
 * A body generated while it is sent, no faster than the client reads it, yielding to other requests between parts. If generating
 * fails, the body is cut off, which clients report as a failed download.
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

/**
 * Brotli quality. For a list of 47 KB, sent once, quality 1 makes 5.1 KB in 0.07 ms, and 3 made 4.8 KB in 0.23 ms. Cached bodies
 * are compressed once for many viewers.
 */
const BROTLI = { once: 1, cached: 5 } as const

/** Encodes a body that is sent once or cached. */
export function encode(body: string, encoding: Encoding, sent: keyof typeof BROTLI): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body)
  if (encoding === 'identity') return bytes
  if (encoding === 'gzip') return copyOf(gzipSync(bytes, { level: 6 }))
  return copyOf(brotliCompressSync(bytes, brotli(BROTLI[sent], bytes)))
}

const [compressed, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/** Encodes a long-lived body as small as possible, on a worker thread because that is slow. */
export async function encodeSmall(body: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(body)
  if (encoding === 'identity') return copyOf(bytes)
  return copyOf(await (encoding === 'gzip' ? gzipped(bytes, { level: 9 }) : compressed(bytes, brotli(11, bytes))))
}

/**
 * Copies the bytes, so that the encoder's larger buffer is released. `Uint8Array.from` would read them one by one: 0.14 ms for 5
 * KB, where this takes 0.001 ms.
 */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}

function brotli(quality: number, { length }: Uint8Array) {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: length } }
}

const accepted = new HeaderValues(bestEncoding, { values: 100, length: 1_000 })

/** The best encoding that the client accepts. */
export function encodingFor(request: Request): Encoding {
  const header = request.headers.get('accept-encoding')
  return header === null ? 'identity' : accepted.of(header)
}

function bestEncoding(header: string): Encoding {
  const weights = parseAccept(header)
  const takes = (name: string) => (weights.get(name) ?? weights.get('*') ?? 0) > 0
  if (takes('br')) return 'br'
  return takes('gzip') ? 'gzip' : 'identity'
}

/** A page as routes return it; `pageApp` sends it. */
export class Page {
  constructor(
    readonly view: JSX.Element,
    readonly status: number,
    readonly headers: Record<string, string>,
    /** Set-Cookie headers. */
    readonly cookies: readonly string[],
  ) {}
}

/**
 * A page rendered for this request. It may send its address to its own site: otherwise browsers would send its forms with
 * `Origin: null`, and over plain http, without Sec-Fetch-Site, that header is the only evidence of their origin.
 * @param from an answer whose cookies the page also sets.
 */
export function page(view: JSX.Element, status = 200, headers: Record<string, string> = {}, from?: Response): Page {
  return new Page(
    view,
    status,
    { 'referrer-policy': 'same-origin', ...headers },
    from === undefined ? [] : from.headers.getSetCookie(),
  )
}

/** A page that is the same for many requests, encoded once for each encoding. Its headers are those of `page`. */
export class KeptPage {
  readonly #bodies: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> = {}

  constructor(
    readonly html: string,
    readonly headers: Record<string, string>,
  ) {}

  answer(request: Request): Response {
    const encoding = encodingFor(request)
    const body = (this.#bodies[encoding] ??= encode(this.html, encoding, 'cached'))
    const headers = {
      'content-type': HTML,
      'referrer-policy': 'same-origin',
      vary: 'Accept-Encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      ...this.headers,
    }
    return new Response(bodyOf(body, request.method), { headers: headersWith(headers) })
  }
}

/**
 * An app whose routes may return pages. The plugin's hook applies to every route added after it, including routes of apps that
 * use this app. There, use this app last.
 */
export function pageApp() {
  return new Elysia()
    .use(html({ contentType: HTML, autoDetect: false, autoDoctype: false }))
    .mapResponse(async ({ html, request, responseValue }) => {
      if (!(responseValue instanceof Page)) return
      const { view, status, headers, cookies } = responseValue
      const made = (await html(view)) as Response
      const answer = text(request, await made.text(), { type: HTML, status, headers })
      for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
      return answer
    })
}

/**
 * The id of the element into which htmx will put the answer, `''` if it has none; null for a request for a whole page: a
 * browser’s own, or htmx restoring a page from history.
 */
export function htmxTarget({ headers }: Request): string | null {
  if (headers.get('hx-request') !== 'true' || headers.get('hx-request-type') !== 'partial') return null
  return headers.get('hx-target')?.split('#')[1] ?? ''
}
