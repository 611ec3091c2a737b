import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import type { StoredBundle } from '../../bundles/access.ts'
import { updateBundle } from '../../bundles/operations.ts'
import { Problem } from '../../core/problem.ts'
import { canOpen, type Draft, toOpenRule } from '../../policies/draft/draft.ts'
import type { TestResult } from '../../policies/draft/findings.ts'
import { unfinishedIn } from '../../policies/draft/unfinished.ts'
import { conflictOf, sidesOf } from '../editor/conflict.tsx'
import type { Outcome } from '../screens.tsx'
import { resultOrProblem, run, type Visit } from '../visit.ts'
import type { SentRules } from './form.ts'
import { FRESH, isChanged, pageOf, type State, screenOf } from './page.tsx'
import { canonical, policyOf, type Source } from './source.ts'

/** Saves the rules, or returns the page with all input and its errors. */
export async function save(visit: Visit, bundle: StoredBundle, sent: SentRules, source: Source): Promise<Outcome> {
  const { slug } = bundle
  const read = policyOf(source)
  const page = `/dashboard/links/${slug}/policy`
  const state: State = { ...FRESH, ...sent, source, moment: 'saving' }
  if ('wrong' in read) {
    const problem = new Problem('BAD_REQUEST', read.wrong)
    return screenOf(bundle, await pageOf(visit, bundle, { ...state, alert: NOT_SAVED }), problem)
  }
  if ('draft' in source && unfinishedIn(source.draft).length > 0) {
    const problem = new Problem('BAD_REQUEST', NOT_SAVED)
    return screenOf(bundle, await pageOf(visit, bundle, { ...state, alert: NOT_SAVED }), problem)
  }
  const { version } = sent
  if (version === null) throw noVersion()
  if (version === bundle.versionNumber && !isChanged(read.policy, bundle)) return { to: withFlash(page, 'unchanged') }
  const change = { slug, resolutionPolicy: read.policy }
  const saved = await resultOrProblem(() => run(visit, updateBundle, change, { expectedVersion: version }))
  if (!(saved instanceof Problem)) return { to: withFlash(page, 'saved') }
  if (saved.code === 'VERSION_CONFLICT') {
    const sides = await sidesOf(visit, slug, version)
    const { theirs } = sides
    const conflict = conflictOf(visit, sides, { content: { resolutionPolicy: canonical(read.policy) }, page })
    return screenOf(theirs, await pageOf(visit, theirs, { ...state, conflict, version: theirs.versionNumber }), saved)
  }
  const props = await pageOf(visit, bundle, { ...state, alert: saved.issues.length === 0 ? saved.message : NOT_SAVED })
  if (!('draft' in source) || !openInvalidRules(source.draft, props.testResult)) return screenOf(bundle, props, saved)
  return screenOf(bundle, await pageOf(visit, bundle, { ...state, alert: props.alert }), saved)
}

/** The error for a form without a version, which no page of ours sends. */
export function noVersion(): Problem {
  return new Problem('BAD_REQUEST', 'version must be the one you are editing: reload the page')
}

const NOT_SAVED = 'Not saved yet. Fix what’s marked below; nothing you typed is lost.'

/** Opens closed rules with errors, which are shown beside their fields. Returns whether any was opened. */
function openInvalidRules({ rules }: Draft, { issues }: TestResult): boolean {
  const closed = new Set(issues.map(({ path }) => (path[1] === 'rules' ? Number(path[2]) : -1)))
  const wrong = rules.map((rule, at) => closed.has(at) && 'json' in rule && canOpen(rule))
  for (const [at, rule] of rules.entries()) if (wrong[at]) rules[at] = toOpenRule(rule)
  return wrong.includes(true)
}
