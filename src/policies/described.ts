import { type } from 'arktype'
import { FACTS, type Fact, type Field } from '../../db/policy.ts'
import { said } from '../core/shape.ts'
import type { Viewer } from './evaluate.ts'
import { definitionOf, FACT_SHAPES, isOfAccount } from './facts.ts'
import { INSTANT, isInstant } from './instants.ts'

/** A viewer as `policy/preview` is told of one (decisions 6); what is left out is absent, `now` is now. */
export const SentViewer = type({
  'signedIn?': 'boolean',
  ...FACT_SHAPES,
  'query?': type('Record<string, string>'),
  'now?': type('string').narrow(
    said(
      { pattern: INSTANT.source },
      (text: string, ctx: { mustBe(expected: string): false }) =>
        isInstant(text) || ctx.mustBe('a time with its zone, such as 2026-12-01T09:00:00Z'),
    ),
  ),
  '+': 'reject',
})

/**
 * The viewer that is described. Whoever has a fact of an account is signed in, unless it is said that they are not.
 * @param now milliseconds since 1970, for a viewer without a time.
 */
export function describedViewer(sent: typeof SentViewer.infer, now: number): Viewer {
  const { query = {} } = sent
  const ofAccount = FACTS.filter(isOfAccount).map((name) => sent[name])
  const fact = (field: Field): string | null => {
    const definition = definitionOf(field)
    if (definition !== undefined) {
      const value = sent[field as Fact] || null
      // As a launcher would see it, whose answer a preview tells.
      return value === null || definition.normalize === undefined ? value : definition.normalize(value)
    }
    const name = field.slice('query.'.length)
    return Object.hasOwn(query, name) ? (query[name] ?? null) : null
  }
  return {
    signedIn: sent.signedIn ?? Boolean(ofAccount.find((value) => value !== undefined)),
    now: sent.now === undefined ? now : Date.parse(sent.now),
    fact: (field) => fact(field)?.toLowerCase() ?? null,
  }
}
