import { setImmediate as otherWork } from 'node:timers/promises'
import { parseJson } from '../core/json.ts'
import { Problem } from '../core/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { typeOf } from '../operations/places.ts'
import { refuseLarger } from '../operations/validate.ts'

/** Route option: these functions read the body and limit its size, not Elysia. */
export const RAW = { parse: 'none' } as const

const MAX_BODY_BYTES = 256 * 1024
/** A form that is too large is still read up to this size, so that its page can show the typed text. */
const MAX_TYPED_BYTES = 4 * MAX_BODY_BYTES
/** More than any form of the service sends; reading a field takes as long as a hundred characters. */
const MAX_FIELDS = 10_000

/**
 * Reads the JSON body of a request and applies `make` synchronously. Its content type must be one of `types`.
 * @param max the most bytes.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON; what `make` throws.
 */
export function readJson<T = unknown>(
  request: Request,
  types: readonly string[],
  make = (value: unknown) => value as T,
  max = MAX_BODY_BYTES,
): Promise<T> {
  expectType(request, types)
  return readText(
    request,
    (text) => make(jsonOf(text)),
    max,
    () => tooLarge(undefined, max),
  )
}

/** More than sign-in, OAuth and MCP ever need: their libraries' schemas take up to 5 µs for each. */
export const PLAIN_SIZE = { fields: 1000, entries: 1000, nodes: 1000 }

/**
 * Reads a JSON body for the schema of a library.
 * @throws Problem as `readJson`; BAD_REQUEST if it has too many fields, entries, objects or lists.
 */
export function readPlainJson(request: Request): Promise<unknown> {
  return readJson(request, ['application/json'], (value) => {
    refuseLarger(value, PLAIN_SIZE)
    return value
  })
}

function jsonOf(text: string | null): unknown {
  // UTF-16 without a byte order mark is valid UTF-8, with a NUL beside each character.
  if (text === null || /^(?:\0.|.\0)/s.test(text))
    throw new Problem('INVALID_JSON', `The body is not UTF-8 text. ${AS_UTF8}`)
  return parseJson(text)
}

/** Tells how to send UTF-8 on systems where another charset is the default. */
const AS_UTF8 =
  'Send it as UTF-8: in Windows PowerShell 5.1 with -Body ([Text.Encoding]::UTF8.GetBytes($json)), in other programs by encoding the text before it is sent.'

/**
 * The exact text of a signed body, of any content type.
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
 * @param written fields that the page itself added, which do not count against the maximum.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE; PAYLOAD_TOO_LARGE, with the typed text up to a limit; BAD_REQUEST.
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
    throw tooManyFields()
  }
  const form =
    sentType(request) === MULTIPART ? (await partsOf(Buffer.from(text), request)).fields : new URLSearchParams(text)
  const size = written.length === 0 ? Buffer.byteLength(text) : typedBytes(form, written)
  if (size > MAX_BODY_BYTES) throw tooLarge(typedInto(form, written))
  return form
}

/** A file uploaded in a form. */
export interface SentFile {
  name: string
  bytes: Uint8Array
}

/**
 * The fields of a form and its file, which may be larger than a form and in any encoding.
 * @param maxBytes of the file.
 * @throws Problem as `readForm`; PAYLOAD_TOO_LARGE for the file.
 */
export async function readFormWithFile(
  request: Request,
  maxBytes: number,
): Promise<{ form: URLSearchParams; file: SentFile | null }> {
  if (sentType(request) !== MULTIPART) return { form: await readForm(request, LONG_FORM), file: null }
  expectType(request, LONG_FORM)
  const refusal = () => fileTooLarge(maxBytes)
  const body = await readBytes(request, maxBytes + MAX_TYPED_BYTES, refusal).catch(brokeOff)
  const { fields: form, files } = await partsOf(body, request)
  if (typedBytes(form, []) > MAX_TYPED_BYTES) throw tooLarge()
  const [file] = files
  if (file === undefined) return { form, file: null }
  if (file.size > maxBytes) throw refusal()
  // Parsing a form of this size takes Deno more than half of the time that one piece of work may take.
  await otherWork()
  return { form, file: { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) } }
}

function fileTooLarge(maxBytes: number): Problem {
  const max = `${maxBytes / 1024 / 1024} MiB`
  return new Problem('PAYLOAD_TOO_LARGE', `The file is larger than ${max}.`, {
    headers: { connection: 'close' },
    userMessage: `This file is larger than ${max}. Choose a smaller one, or split it up.`,
  })
}

function tooManyFields(): Problem {
  return new Problem('BAD_REQUEST', `The form has more than ${MAX_FIELDS} fields.`)
}

function hasMoreThan(most: number, mark: string, text: string | Buffer): boolean {
  let found = 0
  for (let at = text.indexOf(mark); at !== -1 && found <= most; at = text.indexOf(mark, at + 1)) found += 1
  return found > most
}

function typedBytes(form: URLSearchParams, written: readonly string[]): number {
  let size = 0
  for (const [name, value] of form) if (!written.includes(name)) size += Buffer.byteLength(`${name}=${value}`)
  return size
}

/** The texts typed into a form, without passwords and the page's own fields. */
function typedInto(form: URLSearchParams, written: readonly string[]): string {
  const texts = [...form].filter(
    ([name, value]) => !/password|key$/i.test(name) && !written.includes(name) && value.trim() !== '',
  )
  return texts.map(([, value]) => value).join('\n\n')
}

/** The fields of a multipart form, and its chosen files. */
async function partsOf(body: Uint8Array, { headers }: Request): Promise<{ fields: URLSearchParams; files: File[] }> {
  const type = headers.get('content-type') ?? ''
  const mark = `--${/;\s*boundary="?([^";]+)/i.exec(type)?.[1]}`
  if (hasMoreThan(MAX_FIELDS, mark, Buffer.from(body.buffer, body.byteOffset, body.byteLength))) throw tooManyFields()
  const fields = new URLSearchParams()
  const files: File[] = []
  try {
    // Not every runtime refuses a truncated body, whose last fields would be lost.
    if (!Buffer.from(body.subarray(-200)).toString('latin1').trimEnd().endsWith(`${mark}--`))
      throw new Error('no last boundary')
    const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
    for (const [name, value] of form) {
      if (typeof value === 'string') fields.append(name, value)
      // Without a chosen file, the name is empty.
      else if (value.name) files.push(value)
    }
  } catch {
    throw new Problem('BAD_REQUEST', 'The form cannot be read: it is incomplete.')
  }
  return { fields, files }
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
 * The body’s text, or null if it is not UTF-8. Never keeps more than the maximum: neither runtime reliably stops a
 * client that keeps sending.
 */
function readText(request: Request): Promise<string | null>
/** Reads the text and applies `make` to it synchronously. */
function readText<T>(
  request: Request,
  make: (text: string | null) => T,
  max?: number,
  refusal?: () => Problem,
): Promise<T>
function readText(
  request: Request,
  make = (text: string | null): unknown => text,
  max = MAX_BODY_BYTES,
  refusal = (): Problem => tooLarge(),
): Promise<unknown> {
  return readBytes(request, max, refusal).then((read) => make(decodeUtf8(read)), brokeOff)
}

/** The body’s bytes; see `brokeOff` for a body that ends early. @param refusal the error for more than `max`. */
function readBytes(request: Request, max: number, refusal: () => Problem): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > max) throw refusal()
  // The runtime’s HTTP parser enforces a declared length, so this reads no more than that.
  return declared === null ? readCapped(request, max, refusal) : request.bytes()
}

/** The client disconnected: nobody reads this answer, and there is nothing to log. */
function brokeOff(error: unknown): never {
  throw error instanceof Problem ? error : new Problem('BAD_REQUEST', 'The body ended early.')
}

async function readCapped(request: Request, max: number, refusal: () => Problem): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > max) {
      chunks.length = 0
      if (reader !== undefined) await readOn(reader)
      throw refusal()
    }
    chunks.push(value)
  }
}

/** How much of an unwanted body is read, and for how long; what comes after that is cut off. */
const UNWANTED_BYTES = 32 * 1024 * 1024
const UNWANTED_MS = 10_000

/**
 * Answers once the body of a request has come, even if nobody has read it. To close while a client still sends resets its
 * connection, so that it may never read the answer: behind nginx, an error of ours became a 502.
 */
export function afterBody(request: Request, answer: Response | Promise<Response>): Response | Promise<Response> {
  const { method } = request
  if (method === 'GET' || method === 'HEAD') return answer
  return Promise.resolve(answer).then(async (answered) => {
    if (!request.bodyUsed && request.body !== null) await readOn(request.body.getReader())
    return answered
  })
}

/** Reads what else comes, and forgets it. */
async function readOn(reader: Reader): Promise<void> {
  const late = setTimeout(() => reader.cancel().catch(() => {}), UNWANTED_MS)
  try {
    for (let size = 0; size <= UNWANTED_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The client has gone.
  } finally {
    clearTimeout(late)
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** @param typed the typed text, if the whole form was read. */
function tooLarge(typed?: string, maxBytes = MAX_BODY_BYTES): Problem {
  const max = `${maxBytes / 1024} KiB`
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

/**
 * Converts fields sent as text (path, query, form) to the types in the schema. A value that does not parse stays
 * text, and a repeated field stays a list: the schema refuses both.
 */
export function typed(schema: Operation['input'], fields: Record<string, string | string[]>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, read(text, typeOf(schema, name))]))
}

/** The parameters of a query by name; a repeated one is a list, so that the schema refuses it. */
export function queryFields(query: URLSearchParams): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of query) {
    const before = fields.get(name)
    if (before === undefined) fields.set(name, value)
    else if (typeof before === 'string') fields.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(fields)
}

function read(text: string | string[], type: string | undefined): unknown {
  if (typeof text !== 'string') return text
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** A version number, or null if invalid. */
export function versionIn(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
