import { parseJson, refuseLarger } from '../core/json.ts'
import { Problem } from '../core/problem.ts'

/** Of a route: its body is read by these functions, which bound it, and not by Elysia. */
export const RAW = { parse: 'none' } as const

/** Maximum size of a body. */
const MAX_BODY_BYTES = 256 * 1024
/** A form that is too large is still read up to this size, so that its page can show what was typed. */
const MAX_TYPED_BYTES = 4 * MAX_BODY_BYTES
/** More than any form of ours sends; each field takes as long to read as a hundred characters. */
const MAX_FIELDS = 10_000

/**
 * Reads the JSON body of a request and applies `make` synchronously. Its content type must be one of `types`.
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

/** More than sign-in, OAuth and MCP ever need: their libraries' schemas take up to 5 µs for each. */
export const PLAIN_SIZE = { fields: 1000, entries: 1000, nodes: 1000 }

/**
 * Reads a JSON body that the schema of a library is about to read.
 * @throws Problem as `readJson`; BAD_REQUEST if it has too many fields, entries, objects or lists.
 */
export function readPlainJson(request: Request): Promise<unknown> {
  return readJson(request, ['application/json'], (value) => {
    refuseLarger(value, PLAIN_SIZE)
    return value
  })
}

function jsonOf(text: string | null): unknown {
  // UTF-16 without a mark at its beginning is valid UTF-8, with a NUL beside each character.
  if (text === null || /^(?:\0.|.\0)/s.test(text))
    throw new Problem('INVALID_JSON', `The body is not UTF-8 text. ${AS_UTF8}`)
  return parseJson(text)
}

/** How to send UTF-8 from where another charset is the default. */
const AS_UTF8 =
  'Send it as UTF-8: in Windows PowerShell 5.1 with -Body ([Text.Encoding]::UTF8.GetBytes($json)), in other programs by encoding the text before it is sent.'

/**
 * The exact body that was signed, of any type.
 * @throws Problem PAYLOAD_TOO_LARGE, BAD_REQUEST.
 */
export async function readSigned(request: Request): Promise<string> {
  const text = await readText(request)
  if (text === null) throw new Problem('BAD_REQUEST', 'The body is not UTF-8 text.')
  return text
}

const URL_ENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
/** Content types of forms with long texts: percent-encoding can triple their size. */
export const LONG_FORM = [URL_ENCODED, MULTIPART]

/**
 * The fields of a plain HTML form.
 * @param written fields with what the page itself added to what was typed, which do not count against the maximum.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE; PAYLOAD_TOO_LARGE, with what was typed up to a limit; BAD_REQUEST.
 */
export async function readForm(
  request: Request,
  types: readonly string[] = [URL_ENCODED],
  written: readonly string[] = [],
): Promise<URLSearchParams> {
  expectType(request, types)
  const text = await readText(request, (text) => text, MAX_TYPED_BYTES)
  if (text === null) throw new Problem('BAD_REQUEST', 'The form is not UTF-8 text.')
  if (hasMoreThan(MAX_FIELDS, '&', text) && sentType(request) === URL_ENCODED) {
    throw new Problem('BAD_REQUEST', `The form has more than ${MAX_FIELDS} fields.`)
  }
  const form = sentType(request) === MULTIPART ? await readMultipart(text, request) : new URLSearchParams(text)
  const size = written.length === 0 ? Buffer.byteLength(text) : typedBytes(form, written)
  if (size > MAX_BODY_BYTES) throw tooLarge(typedInto(form, written))
  return form
}

function hasMoreThan(most: number, mark: string, text: string): boolean {
  let found = 0
  for (let at = text.indexOf(mark); at !== -1 && found <= most; at = text.indexOf(mark, at + 1)) found += 1
  return found > most
}

function typedBytes(form: URLSearchParams, written: readonly string[]): number {
  let size = 0
  for (const [name, value] of form) if (!written.includes(name)) size += Buffer.byteLength(`${name}=${value}`)
  return size
}

/** The texts that a user typed into a form, without passwords and what the page wrote. */
function typedInto(form: URLSearchParams, written: readonly string[]): string {
  const texts = [...form].filter(
    ([name, value]) => !/password|key$/i.test(name) && !written.includes(name) && value.trim() !== '',
  )
  return texts.map(([, value]) => value).join('\n\n')
}

async function readMultipart(text: string, { headers }: Request): Promise<URLSearchParams> {
  const type = headers.get('content-type') ?? ''
  const boundary = /;\s*boundary="?([^";]+)/i.exec(type)?.[1]
  const fields = new URLSearchParams()
  try {
    // Not every runtime refuses a truncated body, whose last fields would be lost.
    if (!text.trimEnd().endsWith(`--${boundary}--`)) throw new Error('no last boundary')
    const form = await new Response(text, { headers: { 'content-type': type } }).formData()
    for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  } catch {
    throw new Problem('BAD_REQUEST', 'The form cannot be read: it is incomplete.')
  }
  return fields
}

function sentType({ headers }: Request): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function expectType(request: Request, types: readonly string[]): void {
  const isEncoded = (request.headers.get('content-encoding') ?? 'identity') !== 'identity'
  if (isEncoded) throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.')
  // Nearly all clients send exactly one of these, which needs no parsing.
  const isTaken = types.includes(request.headers.get('content-type') ?? '') || types.includes(sentType(request))
  if (!isTaken) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the body with Content-Type: ${types.join(' or ')}.`)
  }
}

/**
 * The body’s text, or null if it is not UTF-8. Never reads more than the maximum: neither runtime reliably stops a
 * client that keeps sending.
 */
function readText(request: Request): Promise<string | null>
/** The same, applying `make` synchronously. */
function readText<T>(request: Request, make: (text: string | null) => T, max?: number): Promise<T>
function readText(
  request: Request,
  make = (text: string | null): unknown => text,
  max = MAX_BODY_BYTES,
): Promise<unknown> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > max) throw tooLarge()
  // The runtime’s HTTP parser enforces a declared length, so this reads no more than that.
  const bytes = declared === null ? readCapped(request, max) : request.bytes()
  return bytes.then((read) => make(decodeUtf8(read)), brokeOff)
}

/** The client disconnected: nobody reads this answer, and there is nothing to log. */
function brokeOff(error: unknown): never {
  throw error instanceof Problem ? error : new Problem('BAD_REQUEST', 'The body ended early.')
}

async function readCapped(request: Request, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > max) {
      await reader?.cancel()
      throw tooLarge()
    }
    chunks.push(value)
  }
}

/** @param typed what the user typed, if the whole form was read. */
function tooLarge(typed?: string): Problem {
  const max = `${MAX_BODY_BYTES / 1024} KiB`
  const advice =
    typed === undefined
      ? 'Go back and send less at a time.'
      : 'Copy what you need from below, then send less at a time.'
  return new Problem('PAYLOAD_TOO_LARGE', `The body is larger than ${max}.`, {
    ...(typed === undefined ? { headers: { connection: 'close' } } : { typed }),
    userMessage: `This is more than ${max} of text. ${advice}`,
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
