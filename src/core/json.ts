import { Problem } from './problem.ts'

/** Deeper than any body of the API needs, and shallow enough for every parser. */
const MAX_NESTING = 64

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, QUOTE, BACKSLASH] = [123, 125, 91, 93, 34, 92]

/**
 * Parses JSON.
 * @throws Problem INVALID_JSON.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_NESTING && nestsDeeperThan(text, MAX_NESTING)) {
    throw new Problem('INVALID_JSON', `The body is nested more than ${MAX_NESTING} levels deep.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('INVALID_JSON', 'The body is not valid JSON.')
  }
}

/** Counts brackets outside strings before parsing, because parsers recurse and the stack is small. */
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
