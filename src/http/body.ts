import { Problem } from '../core/problem.ts'

/** No body may be larger (decisions 1). */
const MAX_BODY_BYTES = 256 * 1024
/** Deeper than any body of the service, and shallow enough for every parser behind. */
const MAX_NESTING = 64

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, QUOTE, BACKSLASH] = [123, 125, 91, 93, 34, 92]

/**
 * The JSON body of a request, or what `make` makes of it in the same turn. Its content type must be one of `types`.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON; what `make` throws.
 */
export function readJson<T = unknown>(
  request: Request,
  types: readonly string[],
  make = (value: unknown) => value as T,
): Promise<T> {
  expectType(request, types)
  return readText(request, (text) => make(jsonOf(text)))
}

function jsonOf(text: string | null): unknown {
  if (text === null) throw new Problem('INVALID_JSON', 'The body is not UTF-8 text.')
  return parseJson(text)
}

/**
 * The body as it was signed, whatever its type.
 * @throws Problem PAYLOAD_TOO_LARGE, BAD_REQUEST.
 */
export async function readSigned(request: Request): Promise<string> {
  const text = await readText(request)
  if (text === null) throw new Problem('BAD_REQUEST', 'The body is not UTF-8 text.')
  return text
}

/**
 * The value of a JSON text.
 * @throws Problem INVALID_JSON.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_NESTING && nestsDeeperThan(text, MAX_NESTING)) {
    throw new Problem('INVALID_JSON', `The body is nested more than ${MAX_NESTING} levels deep.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('INVALID_JSON', 'The body is not JSON that can be parsed.')
  }
}

const URL_ENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
/** How a form may be sent where its texts are long: percent-encoding can triple them. */
export const LONG_FORM = [URL_ENCODED, MULTIPART]

/**
 * The fields of a plain HTML form.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, BAD_REQUEST.
 */
export async function readForm(request: Request, types: readonly string[] = [URL_ENCODED]): Promise<URLSearchParams> {
  expectType(request, types)
  const text = await readText(request)
  if (text === null) throw new Problem('BAD_REQUEST', 'The form is not UTF-8 text.')
  return sentType(request) === MULTIPART ? readMultipart(text, request) : new URLSearchParams(text)
}

async function readMultipart(text: string, { headers }: Request): Promise<URLSearchParams> {
  const type = headers.get('content-type') ?? ''
  const boundary = /;\s*boundary="?([^";]+)/i.exec(type)?.[1]
  const fields = new URLSearchParams()
  try {
    // Not every runtime minds that the end is missing, and with it whatever stood there.
    if (!text.trimEnd().endsWith(`--${boundary}--`)) throw new Error('no last boundary')
    const form = await new Response(text, { headers: { 'content-type': type } }).formData()
    for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  } catch {
    throw new Problem('BAD_REQUEST', 'The form cannot be read: a part of it is missing.')
  }
  return fields
}

function sentType({ headers }: Request): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function expectType(request: Request, types: readonly string[]): void {
  const isEncoded = (request.headers.get('content-encoding') ?? 'identity') !== 'identity'
  if (isEncoded) throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.')
  // Nearly all send just one of these, which need not be taken apart.
  const isTaken = types.includes(request.headers.get('content-type') ?? '') || types.includes(sentType(request))
  if (!isTaken) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the body with Content-Type: ${types.join(' or ')}.`)
  }
}

/**
 * The body's text, or null where it is not UTF-8; never more of it than may be kept: neither runtime can be relied on to
 * stop a client that sends on.
 */
function readText(request: Request): Promise<string | null>
/** The same, and in the same turn what is made of it. */
function readText<T>(request: Request, make: (text: string | null) => T): Promise<T>
function readText(request: Request, make = (text: string | null): unknown => text): Promise<unknown> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > MAX_BODY_BYTES) throw tooLarge()
  // A declared length is held to by the runtime's HTTP parser, so this reads no more than that.
  const bytes = declared === null ? readCapped(request) : request.bytes()
  return bytes.then((read) => make(decodeUtf8(read)), brokeOff)
}

/** The client hung up: nobody reads this answer, and it is no failure of ours to log. */
function brokeOff(error: unknown): never {
  throw error instanceof Problem ? error : new Problem('BAD_REQUEST', 'The body broke off before its end.')
}

async function readCapped(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel()
      throw tooLarge()
    }
    chunks.push(value)
  }
}

function tooLarge(): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES / 1024} KiB.`, {
    headers: { connection: 'close' },
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** Counts brackets outside strings before anything parses: parsers recurse, and a stack is small. */
function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (isInString) {
      if (unit === BACKSLASH) at += 1
      else if (unit === QUOTE) isInString = false
    } else if (unit === QUOTE) isInString = true
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      depth += 1
      if (depth > limit) return true
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth -= 1
  }
  return false
}
