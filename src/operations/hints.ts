import type { type } from 'arktype'
import { distance } from '../core/distance.ts'
import { escapeControls, NO_WEB_ADDRESS } from '../core/text.ts'
import type { Operation } from './operation.ts'

// What the sender of a wrong field probably meant, as the end of an error’s sentence.

type FieldError = type.errors[number]
type Schema = Operation['input']

/** What arktype expects of an unknown field. */
export const UNKNOWN = 'removed'

/** Longer values are not quoted: their senders know what they sent. */
const MAX_QUOTED = 100
/** Longer names are no typing mistakes. */
const MAX_NAME = 40

/** A hint for an error, or `''`. */
export function hintFor(error: FieldError, schema: Schema, sent: unknown): string {
  const { data, path, expected } = error
  if (error.hasCode('required')) return forMissing(String(path.at(-1)), sent, path.length)
  if (expected === UNKNOWN) return forUnknown(path, schema)
  const quoted = typeof data === 'string' && data.length <= MAX_QUOTED ? escapeControls(JSON.stringify(data)) : null
  if (expected === NO_WEB_ADDRESS && quoted !== null) return `, not ${quoted}${forAddress(data as string)}`
  if (path.length === 1 && path[0] === 'urls' && quoted !== null) return `: did you mean [${quoted}]?`
  return forTab(path, data, quoted)
}

/** A required field that was sent under another name: `url` for `urls`. */
function forMissing(name: string, sent: unknown, depth: number): string {
  if (depth !== 1 || sent === null || typeof sent !== 'object') return ''
  const other = Object.keys(sent).find((key) => isNear(key, name))
  return other === undefined ? '' : `: did you mean ${name} instead of ${other}?`
}

function forUnknown(path: FieldError['path'], schema: Schema): string {
  const name = String(path.at(-1))
  const known = fieldsAt(schema.toJsonSchema({ fallback: ({ base }) => base }) as Fields, path.slice(0, -1))
  const near = known.find((field) => isNear(name, field))
  return near === undefined ? '' : `, or did you mean ${near}?`
}

function forAddress(text: string): string {
  const address = `https://${text.trim()}`
  const isHost = /^[^\s:/?#@]+\.[^\s:/?#@]+(?::\d+)?(?:[/?#]\S*)?$/.test(text.trim()) && URL.canParse(address)
  return isHost ? `: did you mean "${address}"?` : ''
}

function forTab(path: FieldError['path'], data: unknown, quoted: string | null): string {
  if (path.at(-2) === 'tabs' && quoted !== null) return `: did you mean {"url": ${quoted}}?`
  const { url } = (data ?? {}) as { url?: unknown }
  const isTab = path.length === 2 && path[0] === 'urls' && typeof url === 'string' && url.length <= MAX_QUOTED
  return isTab ? `: did you mean ${escapeControls(JSON.stringify(url))}? Notes and tags go into urlMetadata` : ''
}

/** The part of a JSON Schema used here. */
interface Fields {
  properties?: Record<string, Fields>
  items?: Fields
  anyOf?: Fields[]
}

/** The names of the fields of the object at a path. */
function fieldsAt(schema: Fields, [first, ...rest]: readonly unknown[]): string[] {
  const branches = [schema, ...(schema.anyOf ?? [])]
  if (first === undefined) return branches.flatMap(({ properties }) => Object.keys(properties ?? {}))
  return branches.flatMap(({ properties, items }) => {
    const inner = typeof first === 'number' ? items : properties?.[String(first)]
    return inner === undefined ? [] : fieldsAt(inner, rest)
  })
}

/** Whether one name may be a mistyped form of another: two letters differ at most, and fewer in short names. */
function isNear(name: string, other: string): boolean {
  const [one, two] = [plain(name), plain(other)]
  if (name.length > MAX_NAME || one === two) return name.length <= MAX_NAME
  return distance(one, two) <= (Math.min(one.length, two.length) < 5 ? 1 : 2)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}
