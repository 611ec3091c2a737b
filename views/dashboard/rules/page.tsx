/** @jsxImportSource @kitajs/html */

import { isDeepStrictEqual } from 'node:util'
import { FACTS } from '../../../db/policy.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { previewPolicy } from '../../../src/bundles/edit/policy-operations.ts'
import type { Issue } from '../../../src/core/issue.ts'
import { Problem } from '../../../src/core/problem.ts'
import { isObject } from '../../../src/core/untyped.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { oldRules, ruleViews } from '../../../src/insights/rule-views.ts'
import {
  draftOf,
  type People,
  plainRule,
  type Source,
  type TestViewer,
  testViewer,
  unfinishedIn,
  viewerInput,
} from '../../../src/policies/draft/draft.ts'
import { type AbsentFacts, findingsOf, type TestResult } from '../../../src/policies/draft/findings.ts'
import { viewerOf } from '../../../src/policies/viewer.ts'
import { roleOver } from '../../parts/visitor.ts'
import { iconsFor, resultOrProblem, run, type Visit } from '../parts/screens.tsx'
import { jsonErrors, policyOf, type SentRules } from './form.ts'
import type { RuleShares } from './parts.tsx'
import type { RulesEditorState } from './rules.tsx'
import type { PolicyProps } from './view.tsx'

/** The state of the page before its rules are tested. */
export interface State {
  source: Source | null
  version: number | null
  removed: SentRules['removed']
  viewer: TestViewer
  /** Whether a button tested this viewer, even one without any facts. */
  isTried: boolean
  zone: string
  focus: string
  announcement: string
  moment: 'editing' | 'saving'
  alert: string | null
  conflict: JSX.Element | null
  /** Whether saving discards rules that somebody else has saved. */
  isLosing: boolean
}

export const FRESH: Omit<State, 'source' | 'version'> = {
  removed: null,
  viewer: testViewer(() => '', new Map()),
  isTried: false,
  zone: '',
  focus: '',
  announcement: '',
  moment: 'editing',
  alert: null,
  conflict: null,
  isLosing: false,
}

/** Tests the current rules and builds the page's props. */
export async function pageOf(visit: Visit, bundle: StoredBundle, state: State): Promise<PolicyProps> {
  const { site } = visit
  const { viewer, zone, alert, conflict, isLosing, moment } = state
  const source = allowsRole(roleOver(bundle, site.user), 'editor') ? state.source : null
  const read = source === null ? { policy: undefined } : policyOf(source)
  const unfinished = source !== null && 'draft' in source ? unfinishedIn(source.draft, bundle.variables) : []
  const testResult: TestResult =
    'wrong' in read
      ? { preview: null, places: [], issues: [], message: read.wrong }
      : await testRules(visit, read.policy, viewer, unfinished)
  const draft = source !== null && 'draft' in source ? source.draft : draftOf(bundle.resolutionPolicy)
  const findings = findingsOf(draft, testResult, {
    isTried: state.isTried || Object.keys(viewerInput(viewer)).length > 0,
    absent: absentHere(bundle, visit),
    variables: bundle.variables,
    moment,
  })
  const editor = source === null ? null : editorOf(state, source, read, testResult, bundle)
  return {
    site,
    bundle,
    editor,
    people: peopleFor(visit, bundle, viewer),
    viewer,
    testResult,
    findings,
    shares: await sharesOf(visit, bundle),
    icons: await iconsFor(visit, { ...bundle, resolutionPolicy: null }),
    alert,
    conflict,
    isLosing,
    zone,
  }
}

/** The share of recent views for each saved rule, and for none. A rule that nobody matched is left out while it is new. */
async function sharesOf({ service: { store } }: Visit, { id, resolutionPolicy }: StoredBundle): Promise<RuleShares> {
  const rules = resolutionPolicy?.rules ?? []
  const now = Date.now()
  const views = rules.length === 0 ? new Map<string, number>() : await ruleViews(store, id, now)
  const all = [...views.values()].reduce((sum, one) => sum + one, 0)
  if (all === 0) return new Map()
  const isUnused = ({ id }: { id: string }) => (views.get(id) ?? 0) === 0
  const old = rules.some(isUnused) ? await oldRules(store, id, now) : new Set<string>()
  const shown = rules.filter((rule) => !isUnused(rule) || old.has(rule.id)).map(({ id }) => id)
  return new Map(['', ...shown].map((id) => [id, (views.get(id) ?? 0) / all]))
}

function editorOf(
  { version, removed, focus, announcement }: State,
  source: Source,
  read: ReturnType<typeof policyOf>,
  { issues }: TestResult,
  bundle: StoredBundle,
): RulesEditorState {
  const isUnsaved = 'wrong' in read || isChanged(read.policy, bundle)
  const wrong = 'draft' in source ? [] : 'wrong' in read ? [read.wrong] : jsonErrors(source.json, issues)
  return { source, wrong, removed, focus, announcement, isChanged: isUnsaved, version: version ?? bundle.versionNumber }
}

/** Whether a policy differs from the saved one; a policy without rules equals none. */
export function isChanged(policy: unknown, { resolutionPolicy: saved }: StoredBundle): boolean {
  return !isDeepStrictEqual(plainPolicy(policy), saved !== null && saved.rules.length === 0 ? null : plainPolicy(saved))
}

function plainPolicy(policy: unknown): unknown {
  return isObject(policy) && Array.isArray(policy.rules) ? { ...policy, rules: policy.rules.map(plainRule) } : policy
}

/** Facts that are absent for all viewers of this bundle on this server. */
function absentHere({ owner }: StoredBundle, { service }: Visit): AbsentFacts {
  const { countryHeader } = service.config
  return {
    ...(countryHeader === undefined
      ? { country: 'Countries never match here: SERVICE_COUNTRY_HEADER isn’t set on this server.' }
      : {}),
    ...(owner.type === 'user'
      ? { orgRole: 'Roles never match here: this bundle doesn’t belong to an organisation.' }
      : {}),
  }
}

/**
 * The result of a policy for a viewer, and the policy's errors. Incomplete rules are left out, so that the others can be tested
 * while one is being edited.
 * @param policy undefined for the saved one.
 * @param unfinished further errors of its rules (`draft.ts`).
 */
async function testRules(
  visit: Visit,
  policy: unknown,
  viewer: TestViewer,
  unfinished: readonly Issue[],
): Promise<TestResult> {
  const { slug } = visit.params
  const input = (policy: unknown, who: object) => ({
    slug,
    viewer: who,
    ...(policy === undefined ? {} : { resolutionPolicy: policy }),
  })
  const who = viewerInput(viewer)
  const attempt = (policy: unknown, who: object) => resultOrProblem(() => run(visit, previewPolicy, input(policy, who)))
  const whole = await attempt(policy, who)
  if (!(whole instanceof Problem) && unfinished.length === 0) {
    return { preview: whole, places: whole.trace.map((_, index) => index), issues: [], message: null }
  }
  const [message, found] = whole instanceof Problem ? [whole.message, whole.issues] : [null, []]
  const issues = [...found, ...unfinished]
  const leftOut = new Set(issues.filter(({ path }) => path[1] === 'rules').map(({ path }) => path[2]))
  const rules = rulesOf(policy)
  const places = rules.map((_, index) => index).filter((index) => !leftOut.has(index))
  const finished = rules.filter((_, index) => !leftOut.has(index))
  const wrongFacts = new Set(issues.filter(({ path }) => path[0] === 'viewer').map(({ path }) => String(path[1])))
  const known = Object.fromEntries(Object.entries(who).filter(([name]) => !wrongFacts.has(name)))
  if (finished.length === rules.length && wrongFacts.size === 0) return { preview: null, places: [], issues, message }
  const rest = await attempt(policy === undefined ? undefined : { version: 1, rules: finished }, known)
  return rest instanceof Problem
    ? { preview: null, places: [], issues, message: rest.message }
    : {
        preview: rest,
        places: policy === undefined ? rest.trace.map((_, index) => index) : places,
        issues,
        message: null,
      }
}

function rulesOf(policy: unknown): unknown[] {
  const { rules } = (policy ?? {}) as { rules?: unknown }
  return Array.isArray(rules) ? rules : []
}

/** The sample viewers for testing the rules of a bundle, with the values filled in. */
export function peopleFor(visit: Visit, bundle: StoredBundle, { values }: Pick<TestViewer, 'values'>): People {
  const { request, service, session } = visit
  const isOwned = bundle.owner.type === 'organization'
  const account = { emailDomain: session.emailDomain, orgRole: isOwned ? roleOver(bundle, visit.site.user) : null }
  const { countryHeader } = service.config
  const seen = viewerOf({ headers: request.headers, url: '', now: Date.now(), countryHeader, account })
  const facts = Object.fromEntries(FACTS.map((fact) => [fact, seen.fact(fact) ?? '']))
  const person = (of: Readonly<Record<string, string>>) => testViewer((name) => of[name] ?? '', values)
  const { emailDomain = '', language = '', client = '', country = '' } = facts
  const near = { language, client, country }
  return {
    // The referrer is this page, from which no viewer comes.
    me: person({ ...facts, signedIn: 'true', referrerDomain: '' }),
    colleague: person({ ...near, signedIn: 'true', emailDomain, orgRole: isOwned ? 'viewer' : '', device: 'desktop' }),
    phone: person({ ...near, device: 'mobile' }),
  }
}
