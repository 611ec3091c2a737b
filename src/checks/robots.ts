import type { RobotsRule } from '../../db/schema.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'

// What `robots.txt` (RFC 9309) says to the checker. Ours, because only its own rules are kept, bounded, and a file may have half
// a megabyte, which must not hold the process.

/** Rules kept of a host, and bytes of them, encoded as they are kept. */
const MAX_RULES = 200
const MAX_BYTES = 8 * 1024
/** Lines read in one go. */
const LINES_AT_ONCE = 1_000

/** The name that sites know the checker by. */
const AGENT = 'openall'

/** Reads the rules for the checker, or else those for all. */
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

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.slice(at, at + MAX_LINE).search(/[\r\n]/)
    yield text.slice(at, end === -1 ? at + MAX_LINE : at + end)
    at += end === -1 ? MAX_LINE : end + 1
  }
}

/** Longer lines are none. */
const MAX_LINE = 4_096

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

/** Whether rules let a URL be asked for: the longest pattern that fits decides, and of equal ones the one that allows. */
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

/** Whether a path begins with a pattern, in which a star is anything, and a dollar sign at its end the end. */
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

/** A pattern encoded as paths of URLs are. */
function normal(pattern: string): string {
  if (!pattern.startsWith('/') || !URL.canParse(pattern, 'http://host')) return pattern
  const { pathname, search } = new URL(`http://host${pattern}`)
  return pathname + search
}
