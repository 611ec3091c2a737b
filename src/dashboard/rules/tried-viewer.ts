import { FACTS } from '../../../db/policy.ts'
import { instantOf } from '../../policies/instants.ts'

/** The tester's fields: who the rules are tried with. */
const VIEWER_FIELDS = ['signedIn', ...FACTS, 'query', 'now', 'zone'] as const

/** Who the rules are tried with, as the tester's fields have it; `''` where nothing is said. */
export type TriedViewer = Readonly<Record<(typeof VIEWER_FIELDS)[number], string>>

/** A viewer of whom each field is read by its name. */
export function triedViewer(textOf: (field: keyof TriedViewer) => string): TriedViewer {
  return Object.fromEntries(VIEWER_FIELDS.map((name) => [name, textOf(name)])) as TriedViewer
}

/** The tester's fields as `preview_policy` takes them. */
export function viewerInput({ signedIn, query, referrerDomain, now, zone, ...facts }: TriedViewer) {
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== '')),
    ...(signedIn === 'true' ? { signedIn: true } : {}),
    ...(query === '' ? {} : { query: queryOf(query) }),
    ...(referrerDomain === '' ? {} : { referrerDomain: hostOf(referrerDomain) }),
    ...(now === '' ? {} : { now: instantOf(now, zone || 'UTC') }),
  }
}

/** Of several values of a name the first counts, as in a link. */
function queryOf(text: string): Record<string, string> {
  const pairs = [...new URLSearchParams(text.slice(text.indexOf('?') + 1))]
  return Object.fromEntries(pairs.reverse())
}

/** Referrers are pasted whole as often as by their domain. */
function hostOf(text: string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).hostname : text
}
