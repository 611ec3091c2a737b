import { type } from 'arktype'
import { FACTS, type Fact, type Field } from '../../db/policy.ts'
import { refusing } from '../core/shape.ts'
import { INSTANT, isInstant } from '../core/time.ts'
import { definitionOf, FACT_SHAPES, isOfAccount, type ViewerRequest } from './facts.ts'
import type { Viewer } from './viewer.ts'

/**
 * The input describing a viewer for `policy/preview`; omitted facts are unknown, `now` defaults to now.
 */
export const SentViewer = type({
  'signedIn?': 'boolean',
  ...FACT_SHAPES,
  'query?': type('Record<string, string>'),
  'now?': type('string').narrow(
    refusing({ pattern: INSTANT.source }, (text: string) => (isInstant(text) ? null : { code: 'not_an_instant' })),
  ),
  '+': 'reject',
})

/**
 * The described viewer. If a fact of an account is given, the viewer is signed in by default.
 * @param now milliseconds since 1970, the default time.
 * @param values of the bundle’s variables, as in a launcher’s request.
 */
export function describedViewer(sent: typeof SentViewer.infer, now: number, values?: ViewerRequest['values']): Viewer {
  const { query = {} } = sent
  const ofAccount = FACTS.filter(isOfAccount).map((name) => sent[name])
  const fact = (field: Field): string | null => {
    const definition = definitionOf(field)
    if (definition !== undefined) {
      const value = sent[field as Fact] || null
      // Normalised as in a launcher’s request, so that the preview matches the launcher.
      return value === null || definition.normalize === undefined ? value : definition.normalize(value)
    }
    const name = field.slice('query.'.length)
    const value = values?.get(name)
    if (value !== undefined) return value
    return Object.hasOwn(query, name) ? (query[name] ?? null) : null
  }
  return {
    signedIn: sent.signedIn ?? Boolean(ofAccount.find((value) => value !== undefined)),
    now: sent.now === undefined ? now : Date.parse(sent.now),
    fact: (field) => fact(field)?.toLowerCase() ?? null,
  }
}
