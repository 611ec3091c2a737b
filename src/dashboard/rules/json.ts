import { parse, type ValueNode } from '@humanwhocodes/momoa'
import type { Issue } from '../../core/issue.ts'
import { pathText, reasonIn } from '../../core/issue-words.ts'
import { parseJson } from '../../core/json.ts'
import { Problem } from '../../core/problem.ts'

/** Parses JSON, or says why it is invalid, with line and column. */
export function readPolicyJson(text: string): { value: unknown } | { wrong: string } {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    if (error instanceof Problem && error.message.includes('nested')) return { wrong: error.message }
    return { wrong: syntaxErrorOf(text) }
  }
}

function syntaxErrorOf(text: string): string {
  if (text.trim() === '') return 'There’s nothing here. Write a policy, or go back to the builder.'
  try {
    parse(text)
    return 'This isn’t JSON: a string can’t continue on the next line.'
  } catch (error) {
    const { line, column, offset } = error as { line?: number; column?: number; offset?: number }
    if (line === undefined || column === undefined || offset === undefined) return 'This isn’t JSON.'
    // For an unexpected end, the parser points at the last token.
    const isEnd = /^[\s\]}]*$/.test(text.slice(offset)) && (error as Error).message.startsWith('Unexpected token')
    const found = isEnd
      ? 'something is missing after this'
      : `“${text.slice(offset, offset + 12).split('\n')[0]}” can’t be here`
    return `Line ${line}, column ${column}: this isn’t JSON, ${found}.`
  }
}

/** The errors of a policy, each with its line in the text and its path. */
export function jsonErrors(text: string, issues: readonly Issue[]): string[] {
  const root = parse(text).body
  return issues
    .filter(({ path }) => path[0] === 'resolutionPolicy')
    .map(({ path, reason }) => {
      const inPolicy = path.slice(1)
      const line = nodeAt(root, inPolicy).loc.start.line
      return `Line ${line}: ${inPolicy.length === 0 ? 'the policy' : pathText(inPolicy)} ${reasonIn(reason)}.`
    })
}

/** The innermost node of a text on a path. */
function nodeAt(node: ValueNode, path: readonly (string | number)[]): ValueNode {
  const [key, ...rest] = path
  if (key === undefined) return node
  const inner =
    node.type === 'Array'
      ? node.elements[Number(key)]?.value
      : node.type === 'Object'
        ? node.members.find(({ name }) => ('value' in name ? name.value : name.name) === key)?.value
        : undefined
  return inner === undefined ? node : nodeAt(inner, rest)
}

/** Longer policies would not fit into a request once indented. */
const MAX_INDENTED = 150_000

/** A policy as editable text; a very long one has one rule per line. */
export function policyText(policy: { version: 1; rules: readonly unknown[] }): string {
  const indented = JSON.stringify(policy, null, 2)
  if (indented.length <= MAX_INDENTED) return indented
  return `{"version":1,"rules":[\n${policy.rules.map((rule) => JSON.stringify(rule)).join(',\n')}\n]}`
}
