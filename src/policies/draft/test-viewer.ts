import { FACTS } from '../../../db/policy.ts'
import { instantOf } from '../instants.ts'

/** The tester's fields. */
const VIEWER_FIELDS = ['signedIn', ...FACTS, 'query', 'now', 'zone'] as const

/** The tester's texts, as typed; `''` for an empty field. */
export type TestTexts = Readonly<Record<(typeof VIEWER_FIELDS)[number], string>>

/** The tester's viewer. */
export interface TestViewer extends TestTexts {
  /** What they fill in, by the name of its variable. */
  values: ReadonlyMap<string, string>
}

/** Those whom the rules are tried as. */
export type People = Readonly<Record<'me' | 'colleague' | 'phone', TestViewer>>

/** Which of the people a viewer is, whatever they fill in. */
export function personIn(people: People, viewer: TestViewer): keyof People | null {
  const isSame = (one: TestViewer) => VIEWER_FIELDS.every((name) => one[name] === viewer[name])
  return (Object.keys(people) as (keyof People)[]).find((name) => isSame(people[name])) ?? null
}

/** Builds a viewer by reading each field by name. */
export function testViewer(textOf: (field: keyof TestTexts) => string, values: TestViewer['values']): TestViewer {
  return { ...(Object.fromEntries(VIEWER_FIELDS.map((name) => [name, textOf(name)])) as TestTexts), values }
}

/** The tester's fields as `preview_policy` takes them. */
export function viewerInput({ signedIn, query, values, referrerDomain, now, zone, ...facts }: TestViewer) {
  const filled = [...values].filter(([, value]) => value.trim() !== '')
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== '')),
    ...(signedIn === 'true' ? { signedIn: true } : {}),
    ...(query === '' && filled.length === 0 ? {} : { query: { ...queryOf(query), ...Object.fromEntries(filled) } }),
    ...(referrerDomain === '' ? {} : { referrerDomain: domainIn(referrerDomain) }),
    ...(now === '' ? {} : { now: instantOf(now, zone || 'UTC') }),
  }
}

/** The first of several values with one name counts, as in a link. */
function queryOf(text: string): Record<string, string> {
  const pairs = [...new URLSearchParams(text.slice(text.indexOf('?') + 1))]
  return Object.fromEntries(pairs.reverse())
}

/** Reduces a pasted referrer URL to its domain. */
function domainIn(text: string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).hostname : text
}
