import type { Declaration } from '../operations/table.ts'
import { type ErrorBody, OpenallError } from './error.ts'

// Separate from the code that sends calls, so that the published types do not refer to the table of operations.

/** Options of calls, for all calls of a client or for a single one. */
export interface CallOptions {
  /** Aborts the call, including waits; it then fails with `ABORTED`. */
  signal?: AbortSignal | undefined
  /** Timeout of one attempt, in milliseconds; default 30 000. */
  timeoutMs?: number | undefined
  /** How often a call is retried after a transient failure, if that is safe; default 2. */
  retries?: number | undefined
  /** The longest `Retry-After` to wait for, in milliseconds; default 60 000. */
  maxWaitMs?: number | undefined
}

/** A response with its body. */
export interface Answer<Body> {
  body: Body
  status: number
  headers: Headers
  /** The bundle’s version (its ETag), for `expectedVersion`; null if the answer is not a bundle. */
  version: number | null
}

/** Where calls go, and with which credential. */
export interface Connection extends CallOptions {
  /** Origin and path before `/api`, without a trailing slash. */
  base: string
  key: string | undefined
  fetch: typeof fetch
  /** The Service-Client label. */
  label: string
}

/** A call, ready to be sent repeatedly. */
export interface Call extends CallOptions {
  operation: Declaration
  input: Readonly<Record<string, unknown>>
  idempotencyKey?: string | null | undefined
  expectedVersion?: number | null | undefined
  format?: 'csv'
}

const TIMEOUT_MS = 30_000
const RETRIES = 2
const MAX_WAIT_MS = 60_000
const FIRST_WAIT_MS = 400
/** Transient statuses of a server or proxy. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504])

/**
 * Sends a call, retrying transient failures after `Retry-After` or with exponential backoff. A call that is not safe to
 * repeat is retried only after a rate limit refused it, because then it had no effect.
 * @throws OpenallError.
 */
export async function send(call: Call, connection: Connection): Promise<Answer<unknown>> {
  const {
    signal,
    timeoutMs = TIMEOUT_MS,
    retries = RETRIES,
    maxWaitMs = MAX_WAIT_MS,
  } = { ...connection, ...definedOptions(call) }
  const request = requestFor(call, connection)
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(request, { signal, timeoutMs, fetch: connection.fetch })
    } catch (error) {
      if (!(error instanceof OpenallError) || tries >= retries || !mayRepeat(call, error)) throw error
      const waitMs = waitFor(error, tries)
      if (waitMs > maxWaitMs) throw error
      await pause(waitMs, signal)
    }
  }
}

/** Drops options that are explicitly undefined or null. */
function definedOptions(options: CallOptions): CallOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => isSent(value)))
}

/** Whether a value is given: many programs send null for a missing option. */
function isSent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null
}

function mayRepeat({ operation, idempotencyKey }: Call, { code, status }: OpenallError): boolean {
  if (code === 'RATE_LIMITED') return true
  const isTransient = code === 'NETWORK_ERROR' || code === 'TIMEOUT' || TRANSIENT.has(status)
  return isTransient && (operation.route.startsWith('GET ') || operation.effect !== undefined || isSent(idempotencyKey))
}

function waitFor({ retryAfterSeconds }: OpenallError, tries: number): number {
  // Jittered, so that callers that failed together do not retry together.
  return retryAfterSeconds === undefined
    ? FIRST_WAIT_MS * 2 ** tries * (0.5 + Math.random() / 2)
    : retryAfterSeconds * 1000
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    const end = () => {
      clearTimeout(timer)
      reject(aborted(signal!))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

function aborted({ reason }: AbortSignal): OpenallError {
  return new OpenallError('ABORTED', 'The call was aborted.', { cause: reason })
}

interface Outgoing {
  url: string
  init: { method: string; headers: Record<string, string>; body?: string }
}

function requestFor(call: Call, { base, key, label }: Connection): Outgoing {
  const { operation, input, idempotencyKey, expectedVersion, format } = call
  const [method = '', template = ''] = operation.route.split(' ')
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const value = fields.get(name)
    fields.delete(name)
    return segment(name, value)
  })
  const headers: Record<string, string> = {
    accept: format === 'csv' ? 'text/csv' : 'application/json',
    'service-client': label,
  }
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  if (isSent(idempotencyKey)) headers['idempotency-key'] = idempotencyKey
  if (isSent(expectedVersion)) headers['if-match'] = `"v${expectedVersion}"`
  if (method === 'GET' || method === 'DELETE') {
    if (format !== undefined) fields.set('format', format)
    if (operation.query !== undefined) spread(fields, operation.query)
    // In a query, null would be a text.
    const sent = [...fields].filter(([, value]) => value !== null)
    const query = new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()
    return { url: `${base}/api${path}${query === '' ? '' : `?${query}`}`, init: { method, headers } }
  }
  if (operation.body !== undefined && fields.size === 0) return { url: `${base}/api${path}`, init: { method, headers } }
  const body = JSON.stringify(Object.fromEntries(fields))
  return {
    url: `${base}/api${path}`,
    init: { method, headers: { ...headers, 'content-type': 'application/json' }, body },
  }
}

/** Replaces all fields by the entries of one: they are the query. */
function spread(fields: Map<string, unknown>, name: string): void {
  const entries = Object.entries(fields.get(name) ?? {}).filter(([, value]) => value !== undefined)
  fields.delete(name)
  const [unknown] = fields.keys()
  // The server would take the field for one of the entries.
  if (unknown !== undefined) {
    throw new OpenallError('BAD_REQUEST', `${unknown} is not a field of this request: remove it`, { status: 400 })
  }
  for (const [entry, value] of entries) fields.set(entry, value)
}

/** Encodes a value as a path segment. Dots would change the path, and an empty segment would be another path. */
function segment(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  if (/^\.{0,2}$/.test(text) || !text.isWellFormed()) {
    throw new OpenallError('BAD_REQUEST', `${name} is required and must not consist of dots`, { status: 400 })
  }
  return encodeURIComponent(text)
}

async function attempt(
  { url, init }: Outgoing,
  { signal, timeoutMs, fetch }: { signal: AbortSignal | undefined; timeoutMs: number; fetch: Connection['fetch'] },
): Promise<Answer<unknown>> {
  if (signal?.aborted) throw aborted(signal)
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, timeoutMs)
  signal?.addEventListener('abort', end, { once: true })
  try {
    // Redirects are not followed: they turn a POST into a GET, and the key is for the given server only.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: ending.signal })
    return read(response, await response.text())
  } catch (error) {
    if (error instanceof OpenallError) throw error
    if (signal?.aborted) throw aborted(signal)
    const { origin } = new URL(url)
    if (ending.signal.aborted) {
      throw new OpenallError('TIMEOUT', `${origin} did not answer within ${timeoutMs} ms. Try again.`, { cause: error })
    }
    throw new OpenallError('NETWORK_ERROR', `${origin} cannot be reached. Check the address and the network.`, {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

function read(response: Response, text: string): Answer<unknown> {
  const { status, headers } = response
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
  if (!response.ok) throw refusal(response, isJson ? parsed(text, response) : null)
  const version = /^"v(\d+)"$/.exec(headers.get('etag') ?? '')?.[1]
  const isCsv = /^text\/csv\b/.test(headers.get('content-type') ?? '')
  if (!isJson && !isCsv && status !== 204) throw unexpected(response)
  const body = status === 204 ? undefined : isJson ? parsed(text, response) : text
  return { body, status, headers, version: version === undefined ? null : Number(version) }
}

function parsed(text: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unexpected(response)
  }
}

/** The service’s own error, or one saying that something else answered. */
function refusal(response: Response, body: unknown): OpenallError {
  const { error, code, errors, retryAfterSeconds, requestId, docUrl } = (body ?? {}) as {
    [Field in keyof ErrorBody]?: unknown
  }
  if (typeof error !== 'string' || typeof code !== 'string') return unexpected(response)
  return new OpenallError(code as OpenallError['code'], error, {
    status: response.status,
    errors: Array.isArray(errors) ? errors : [],
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    docUrl: typeof docUrl === 'string' ? docUrl : undefined,
  })
}

function unexpected({ status, headers, url, type }: Response): OpenallError {
  const target = headers.get('location')
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  const message = isRedirect
    ? `The server redirects${target === null ? '' : ` to ${target}`}. Use that address as the server.`
    : `Something other than the service answered ${url} with status ${status}. Check the server’s address.`
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new OpenallError('UNEXPECTED_ANSWER', message, {
    status,
    retryAfterSeconds: Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined,
  })
}
