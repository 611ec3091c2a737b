import { pathText, phrase, type Words } from '../core/issue-words.ts'
import { inSentence, withoutStop } from '../core/words.ts'
import type { Concern, Finding } from './lint.ts'

/** The ends of sentences that begin with the path. */
const WARNINGS: Words<Concern> = {
  duplicate_rule: ({ rule }) => `is a duplicate of rules[${rule}], which is tried first: no one gets these tabs`,
  unreachable_rule: ({ rule }) =>
    `is unreachable: everyone it matches gets the tabs of rules[${rule}], which is tried first`,
  over: ({ since }) => `has been over since ${since}: it never matches again`,
  ends_before_it_begins: 'ends before it begins: it never matches',
  too_wide: ({ value }) =>
    `"${value}" also ends "not${value}": use equals for the domain itself and endsWith ".${value}" for its subdomains`,
  no_such_value: ({ field, value, values }) =>
    `${field} is one of ${someOf(values).join(', ')}, so "${value}" never matches`,
  no_such_variable: ({ name, near }) => `query.${name}: no such variable (${near}?)`,
  other_format: ({ field, value, format }) => `${field} is ${format}, so "${value}" never matches`,
  not_a_domain: ({ field, value }) => `${field} is a domain alone, such as acme.com, so "${value}" never matches`,
  not_as_sent: ({ value, sent }) => `browsers send "${value}" as "${sent}": use that form, or it never matches`,
  refused_value: ({ message }) => `is refused: ${withoutStop(inSentence(message))}`,
}

/** Findings in the words of the API. */
export function warningsOf(findings: readonly Finding[]): { path: string; message: string }[] {
  return findings.map(({ path, concern }) => ({ path: pathText(path), message: warningIn(concern) }))
}

/** A concern as the end of a sentence that begins with the path. */
export function warningIn(concern: Concern): string {
  return phrase(WARNINGS, concern)
}

/** At most this many of a variable's options are listed. */
const MAX_LISTED = 10

function someOf(values: readonly string[]): readonly string[] {
  const more = values.length - MAX_LISTED
  return more > 0 ? [...values.slice(0, MAX_LISTED), `and ${more} more`] : values
}
