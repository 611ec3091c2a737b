import { Problem } from './problem.ts'

/** Deeper than any body of the API needs, and shallow enough for every parser. */
export const MAX_NESTING = 64

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, QUOTE, BACKSLASH] = [123, 125, 91, 93, 34, 92]

/** Parses JSON. @throws Problem INVALID_JSON. */
export function parseJson(text: string): unknown {
  if (isNestedTooDeep(text)) {
    throw new Problem('INVALID_JSON', `The body is nested more than ${MAX_NESTING} levels deep.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('INVALID_JSON', 'The body is not valid JSON.')
  }
}

/** Counts brackets outside strings before parsing, because parsers recurse and the stack is small. */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= MAX_NESTING) return false
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
      if (depth > MAX_NESTING) return true
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth -= 1
  }
  return false
}

/** How much a value from JSON holds. */
interface Size {
  /** Of all objects. */
  fields: number
  /** Of all lists. */
  entries: number
  /** Objects and lists. */
  nodes: number
}

/**
 * Schemas copy a value, look at each entry and report each unknown field, which held the process for up to a second.
 * @param what the value in words, with which the refusal begins.
 * @throws Problem BAD_REQUEST if the value holds more than `max`.
 */
export function refuseLarger(value: unknown, max: Size, what = 'the body'): void {
  const { fields, entries, nodes } = counted(value, { fields: 0, entries: 0, nodes: 0 }, max)
  const most = (limit: number, of: string) => new Problem('BAD_REQUEST', `${what} must have at most ${limit} ${of}`)
  if (fields > max.fields) throw most(max.fields, 'fields')
  if (entries > max.entries) throw most(max.entries, 'list entries')
  if (nodes > max.nodes) throw most(max.nodes, 'objects and lists')
}

/** The size with that of a value added; stops just past the maximum. */
function counted(value: unknown, size: Size, max: Size): Size {
  if (value === null || typeof value !== 'object') return size
  const isList = Array.isArray(value)
  size.nodes += 1
  if (isList) size.entries += value.length
  for (const key in value) {
    if (!isList) size.fields += 1
    if (size.fields > max.fields || size.entries > max.entries || size.nodes > max.nodes) break
    counted((value as Record<string, unknown>)[key], size, max)
  }
  return size
}

/** Whether two values are the same as JSON, the order of their fields included. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
