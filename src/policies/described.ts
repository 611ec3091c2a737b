import { type } from 'arktype'
import type { Field } from '../../db/policy.ts'
import { said } from '../core/shape.ts'
import { line } from '../core/text-shapes.ts'
import { ROLES } from '../identity/roles.ts'
import { DEVICES } from './agents.ts'
import { CONDITION_BOUNDS, INSTANT, isInstant } from './conditions.ts'
import type { Viewer } from './evaluate.ts'
import { asSent } from './viewer.ts'

const fact = line(CONDITION_BOUNDS.text)

/** A viewer as `policy/preview` is told of one (decisions 6); what is left out is absent, `now` is now. */
export const SentViewer = type({
  'signedIn?': 'boolean',
  'emailDomain?': fact,
  'orgRole?': type.enumerated(...ROLES),
  'language?': fact,
  'device?': type.enumerated(...DEVICES),
  'os?': fact,
  'browser?': fact,
  'country?': fact,
  'query?': type('Record<string, string>'),
  'referrerDomain?': fact,
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
 * The viewer that is described. Whoever has an e-mail domain or a role is signed in, unless it is said that
 * they are not.
 * @param now milliseconds since 1970, for a viewer without a time.
 */
export function described(viewer: typeof SentViewer.infer, now: number): Viewer {
  const { signedIn, query = {}, emailDomain, orgRole } = viewer
  const fact = (field: Field): string | null => {
    // As a launcher would see it, whose answer a preview tells.
    if (field === 'referrerDomain') return asSent(viewer.referrerDomain ?? '')
    if (!field.startsWith('query.')) return viewer[field as Exclude<keyof typeof viewer, 'signedIn' | 'query'>] || null
    const name = field.slice('query.'.length)
    return Object.hasOwn(query, name) ? (query[name] ?? null) : null
  }
  return {
    signedIn: signedIn ?? Boolean(emailDomain ?? orgRole),
    now: viewer.now === undefined ? now : Date.parse(viewer.now),
    fact: (field) => fact(field)?.toLowerCase() ?? null,
  }
}
