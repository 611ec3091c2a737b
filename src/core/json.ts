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

/** Whether JSON is nested too deep. Counts brackets outside strings, because parsers recurse and the stack is small. */
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

/** Whether two values are equal as JSON, including the order of their fields. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
