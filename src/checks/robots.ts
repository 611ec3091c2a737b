import type { RobotsRule } from '../../db/schema.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'

// The rules in `robots.txt` (RFC 9309) for the checker. Not a library: only the checker's rules are kept, within bounds, and a
// file of half a megabyte must not block the process.

/** How many rules of a host are kept, and how many bytes of them, as encoded. */
const MAX_RULES = 200
const MAX_BYTES = 8 * 1024
/** How many lines are read at once. */
const LINES_AT_ONCE = 1_000

/** The checker’s name in `robots.txt`. */
const AGENT = 'openall'

/** Reads the rules for the checker, or if there are none, those for all. */
export async function rulesIn(text: string): Promise<RobotsRule[]> {
  const found = { own: new Rules(), all: new Rules() }
  let groups: Rules[] = []
  let isOfAgents = false
  let lines = 0
  let since = performance.now()
  for (const line of linesOf(text)) {
    lines += 1
    if (lines % LINES_AT_ONCE === 0) {
      await yieldToEventLoop(since)
      since = performance.now()
    }
    const [, key = '', value = ''] = /^\s*([a-z-]{1,20})\s*:\s*([^\s#]*)/i.exec(line) ?? []
    const name = key.toLowerCase()
    if (name === 'user-agent') {
      if (!isOfAgents) groups = []
      isOfAgents = true
      const group = value === '*' ? found.all : value.toLowerCase().split('/')[0] === AGENT ? found.own : null
      if (group === null) continue
      group.isThere = true
      groups.push(group)
    } else if (name === 'allow' || name === 'disallow') {
      isOfAgents = false
      for (const group of groups) group.add([name === 'allow' ? 1 : 0, value])
    }
  }
  return (found.own.isThere ? found.own : found.all).kept
}

/** The longest line, in characters; a longer one is left out, because a part of a pattern forbids or allows more than it. */
const MAX_LINE = 4_096

function* linesOf(text: string): Generator<string> {
  const ending = /[\r\n]/g
  for (let at = 0; at < text.length; ) {
    ending.lastIndex = at
    const end = ending.exec(text)?.index ?? text.length
    yield end - at > MAX_LINE ? '' : text.slice(at, end)
    at = end + 1
  }
}

class Rules {
  readonly kept: RobotsRule[] = []
  isThere = false
  #bytes = 0

  add([isAllowed, pattern]: RobotsRule): void {
    // An empty pattern forbids nothing.
    if (pattern === '' || this.kept.length >= MAX_RULES || this.#bytes > MAX_BYTES) return
    const encoded = normal(pattern)
    this.#bytes += Buffer.byteLength(encoded)
    if (this.#bytes <= MAX_BYTES) this.kept.push([isAllowed, encoded])
  }
}

/** Whether rules allow requesting a URL: the longest matching pattern decides; of equally long ones, the one that allows. */
export function allows(rules: readonly RobotsRule[], { pathname, search }: URL): boolean {
  const path = pathname + search
  let [decided, length] = [true, -1]
  for (const [isAllowed, pattern] of rules) {
    if (pattern.length < length || !fits(pattern, path)) continue
    decided = isAllowed === 1 || (pattern.length === length && decided)
    length = pattern.length
  }
  return decided
}

/** Whether a pattern matches the beginning of a path. In it, `*` matches anything, and `$` at its end the end of the path. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const piece of rest.slice(0, -1)) {
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  const last = rest.at(-1)
  if (last === undefined) return !isWhole || at === path.length
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) !== -1
}

/** A pattern, encoded like the path of a URL. */
function normal(pattern: string): string {
  if (!pattern.startsWith('/') || !URL.canParse(pattern, 'http://host')) return pattern
  const { pathname, search } = new URL(`http://host${pattern}`)
  return pathname + search
}
