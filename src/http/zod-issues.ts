import type { Issue, Reason } from '../core/issue.ts'

// Errors from the libraries for sign-in, OAuth and MCP, whose schemas (zod) word them for developers only.

/** Names of types in those errors. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}

interface ZodIssue {
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
  message: string
}

/** Converts a zod issue to an issue of the service. */
export function fromZod({ path = [], message }: ZodIssue): Issue {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part))
  return { path: keys.map((key) => (typeof key === 'number' ? key : String(key))), reason: reasonOf(message) }
}

function reasonOf(message: string): Reason {
  const [, options] = /expected one of (.+)/.exec(message) ?? []
  if (options !== undefined) {
    return { code: 'no_option', options: options.split('|').map((option) => option.replace(/^"(.*)"$/, '$1')) }
  }
  const [, type = '', received] = /expected (\w+)(?:, received (\w+))?/.exec(message) ?? []
  const expected = TYPES[type] ?? 'valid'
  if (received === 'undefined') return { code: 'missing', expected }
  if (/email/i.test(message)) return { code: 'not_an_email_address' }
  return /^Invalid ur[il]/i.test(message) ? { code: 'not_a_web_address' } : { code: 'type', expected }
}
