import { isDeepStrictEqual } from 'node:util'
import { type } from 'arktype'
import type { Issue, Path } from '../../core/issue.ts'
import { pathText, reasonIn } from '../../core/issue-words.ts'
import { isNestedTooDeep, MAX_NESTING } from '../../core/json.ts'
import { canOpen, type Draft, draftOf, type Source, toPolicy } from '../../policies/draft/draft.ts'
import { Policy, type SentPolicy } from '../../policies/shapes.ts'

/** The builder's draft of JSON text; null if fields could not hold all of it. */
export function fromJson(text: string): { draft: Draft } | null {
  const read = readPolicyJson(text)
  if (!('value' in read)) return null
  const policy = canonical(read.value)
  const draft = draftOf(policy ?? read.value)
  if (policy !== null || read.value === null) return { draft }
  return isDeepStrictEqual(toPolicy(draft), read.value) && draft.rules.every(canOpen) ? { draft } : null
}

/** A policy in its canonical form; null if it is invalid. */
export function canonical(json: unknown): SentPolicy | null {
  const policy = Policy(json)
  return policy instanceof type.errors ? null : policy
}

/** The policy of the edited rules, null if there are none; `wrong` if the text is not JSON. */
export function policyOf(source: Source): { policy: unknown } | { wrong: string } {
  if ('draft' in source) return { policy: source.draft.rules.length === 0 ? null : toPolicy(source.draft) }
  const read = readPolicyJson(source.json)
  return 'wrong' in read ? read : { policy: read.value }
}

/** Parses JSON, or says why it is invalid, with line and column. */
function readPolicyJson(text: string): { value: unknown } | { wrong: string } {
  if (isNestedTooDeep(text)) return { wrong: `This is nested more than ${MAX_NESTING} levels deep. Nest less.` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { wrong: syntaxErrorOf(text) }
  }
}

function syntaxErrorOf(text: string): string {
  if (text.trim() === '') return 'There’s nothing here. Write a policy, or go back to the builder.'
  const { end } = placesIn(text)
  const rest = text.slice(end)
  const found =
    rest === ''
      ? 'something is missing at the end'
      : rest.startsWith('"')
        ? 'the text that begins here doesn’t end on its line, or has a wrong escape'
        : `“${rest.slice(0, 12).split('\n')[0]}” can’t be here`
  const column = end - text.lastIndexOf('\n', end - 1)
  return `Line ${lineAt(text, end)}, column ${column}: this isn’t JSON, ${found}.`
}

/** The errors of a policy, each with its line in the text and its path. */
export function jsonErrors(text: string, issues: readonly Issue[]): string[] {
  const { places } = placesIn(text)
  return issues
    .filter(({ path }) => path[0] === 'resolutionPolicy')
    .map(({ path: [, ...path], reason }) => {
      const inner = path.findLastIndex((_, index) => places.has(keyOf(path.slice(0, index + 1))))
      const line = lineAt(text, places.get(keyOf(path.slice(0, inner + 1))) ?? 0)
      return `Line ${line}: ${path.length === 0 ? 'the policy' : pathText(path)} ${reasonIn(reason)}.`
    })
}

/** The next token after any space; `''` if there is none, or no JSON. */
const TOKEN =
  /[ \t\r\n]*([{}[\],:]|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b|)/y

/** The offset of each value in a JSON text by its path, and the offset at which it ends or stops being JSON. */
function placesIn(text: string): { places: ReadonlyMap<string, number>; end: number } {
  const places = new Map<string, number>()
  let [token, start, end] = ['', 0, 0]
  const next = () => {
    TOKEN.lastIndex = end
    const [all = '', found = ''] = TOKEN.exec(text) ?? []
    end += all.length
    token = found
    start = end - found.length
  }
  const take = (wanted: string) => {
    const isThere = token === wanted
    if (isThere) next()
    return isThere
  }
  const value = (path: Path): boolean => {
    places.set(keyOf(path), start)
    const close = token === '{' ? '}' : token === '[' ? ']' : ''
    if (close === '') return !/^[}\],:]?$/.test(token) && take(token)
    next()
    for (let index = 0; token !== close; index += 1) {
      if (index > 0 && !take(',')) return false
      const name = token
      if (close === '}' && !(name.startsWith('"') && take(name) && take(':'))) return false
      if (!value([...path, close === '}' ? String(JSON.parse(name)) : index])) return false
    }
    return take(close)
  }
  next()
  value([])
  return { places, end: start }
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String))
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
