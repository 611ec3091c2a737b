/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { getBundle, updateBundle } from '../../../src/bundles/edit/operations.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { versionIn } from '../../../src/http/body.ts'
import { htmxTarget } from '../../../src/http/respond.ts'
import {
  canOpen,
  type Draft,
  draftOf,
  ownTabs,
  type Source,
  toOpenRule,
  toPolicy,
  unfinishedIn,
} from '../../../src/policies/draft/draft.ts'
import { edit } from '../../../src/policies/draft/edits.ts'
import type { TestResult } from '../../../src/policies/draft/findings.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { withFlash } from '../../parts/messages.ts'
import { conflictOf, sidesOf } from '../parts/bundle-form/conflict.tsx'
import { madeVersion } from '../parts/flash.tsx'
import { type Outcome, resultOrProblem, run, type Screen, type ScreenPage, type Visit } from '../parts/screens.tsx'
import { canonical, fromJson, policyOf, readRules, type SentRules } from './form.ts'
import { FRESH, isChanged, pageOf, peopleFor, type State } from './page.tsx'
import { OutOfBand } from './parts.tsx'
import { RulesSection, Unsaved } from './rules.tsx'
import { Tester, Verdict } from './tester.tsx'
import { CheckedParts, CheckedRules, ClearView, isJson, NOT_SAVED, type PolicyProps, PolicyView } from './view.tsx'

/** The rules page of a bundle: edit, read and test. */
export const policyScreens: readonly Screen[] = [
  {
    path: routes.bundle.rules.path,
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const source = { draft: draftOf(bundle.resolutionPolicy) }
      return screenOf(bundle, await pageOf(visit, bundle, { ...FRESH, source, version: bundle.versionNumber }))
    },
    async post(visit, form) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const sent = readRules(form)
      const [action] = sent.action
      if (action === 'save' && sent.source !== null) return save(visit, bundle, sent, sent.source)
      const people = peopleFor(visit, bundle, sent.viewer)
      const isPerson = action !== undefined && Object.hasOwn(people, action)
      const viewer = isPerson ? people[action as keyof typeof people] : sent.viewer
      const state = {
        ...FRESH,
        ...sent,
        viewer,
        isTried: isPerson || action === 'test',
        ...(sent.source === null ? {} : applyAction(sent, sent.source, bundle)),
      }
      const props = await pageOf(visit, bundle, state)
      return htmxTarget(visit.request) === null ? screenOf(bundle, props) : part(action ?? '', props)
    },
  },
  {
    path: routes.bundle.clearRules.path,
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const { resolutionPolicy } = bundle
      if (resolutionPolicy === null) return { to: routes.bundle.rules.href({ slug: bundle.slug }) }
      const view = <ClearView bundle={{ ...bundle, resolutionPolicy }} />
      return { section: 'bundles', title: `Clear the rules of ${headingOf(bundle)}`, view }
    },
    async post(visit, form) {
      const input = { slug: visit.params.slug, resolutionPolicy: null }
      const expectedVersion = versionIn(form.get('version') ?? '')
      if (expectedVersion === null) throw noVersion()
      const cleared = await run(visit, updateBundle, input, { expectedVersion })
      return { to: withFlash(routes.bundle.rules.href({ slug: cleared.slug }), 'cleared', madeVersion(cleared)) }
    },
  },
]

/** The rules after a button. */
function applyAction(
  { action, removed, zone }: SentRules,
  source: Source,
  bundle: StoredBundle,
): Pick<State, 'source' | 'focus' | 'announcement' | 'removed'> {
  const [name] = action
  const same = { source, removed, focus: '', announcement: '' }
  if ('json' in source) return name === 'builder' ? { ...same, source: fromJson(source.json) ?? source } : same
  if (name === 'json')
    return { ...same, source: { json: policyText(toPolicy(source.draft)) }, removed: null, focus: 'json' }
  if (name === undefined || !name.includes('.')) return same
  return { source, ...edit({ draft: source.draft, own: ownTabs(bundle), removed, zone }, action) }
}

/** The part of the page that a button changes. */
function part(action: string, props: PolicyProps): Outcome {
  const { site, people, editor, viewer, testResult, findings, shares, icons, bundle } = props
  const { variables } = bundle
  if (action === 'check') return { part: <CheckedRules {...props} /> }
  if (Object.hasOwn(people, action) || editor === null) {
    const tester = { site, people, variables, viewer, testResult, findings, isJson: isJson(props) }
    const view = (
      <>
        <Tester {...tester} />
        <CheckedParts {...props} />
      </>
    )
    return { part: view, into: '#try' }
  }
  const view = (
    <>
      <RulesSection site={site} editor={editor} bundle={bundle} findings={findings} shares={shares} icons={icons} />
      <OutOfBand id="verdict">
        <Verdict testResult={testResult} variables={variables} isJson={isJson(props)} />
      </OutOfBand>
      <OutOfBand id="unsaved">
        <Unsaved isChanged={editor.isChanged} slug={bundle.slug} />
      </OutOfBand>
    </>
  )
  return { part: view, into: '#rules' }
}

/** Saves the rules, or returns the page with all input and its errors. */
async function save(visit: Visit, bundle: StoredBundle, sent: SentRules, source: Source): Promise<Outcome> {
  const { slug } = bundle
  const read = policyOf(source)
  const page = routes.bundle.rules.href({ slug })
  const state: State = { ...FRESH, ...sent, source, moment: 'saving' }
  if ('wrong' in read) {
    const problem = new Problem('BAD_REQUEST', read.wrong)
    return screenOf(bundle, await pageOf(visit, bundle, { ...state, alert: NOT_SAVED }), problem)
  }
  if ('draft' in source && unfinishedIn(source.draft, bundle.variables).length > 0) {
    const problem = new Problem('BAD_REQUEST', NOT_SAVED)
    return screenOf(bundle, await pageOf(visit, bundle, { ...state, alert: NOT_SAVED }), problem)
  }
  const { version } = sent
  if (version === null) throw noVersion()
  if (version === bundle.versionNumber && !isChanged(read.policy, bundle)) return { to: withFlash(page, 'unchanged') }
  const change = { slug, resolutionPolicy: read.policy }
  const saved = await resultOrProblem(() => run(visit, updateBundle, change, { expectedVersion: version }))
  if (!(saved instanceof Problem)) return { to: withFlash(page, 'saved', madeVersion(saved)) }
  if (saved.code === 'VERSION_CONFLICT') {
    const sides = await sidesOf(visit, slug, version)
    const { theirs, base } = sides
    const isLosing = isChanged(base.resolutionPolicy, theirs)
    const content = { resolutionPolicy: canonical(read.policy) }
    const conflict = conflictOf(visit, sides, { content, page, isLosing })
    const late = { ...state, conflict, isLosing, version: theirs.versionNumber }
    return screenOf(theirs, await pageOf(visit, theirs, late), saved)
  }
  const props = await pageOf(visit, bundle, { ...state, alert: isShown(saved) ? NOT_SAVED : saved.message })
  if (!('draft' in source) || !openInvalidRules(source.draft, props.testResult)) return screenOf(bundle, props, saved)
  return screenOf(bundle, await pageOf(visit, bundle, { ...state, alert: props.alert }), saved)
}

/** Whether the page can show the errors: not for a default value that would change a tab's destination. */
function isShown({ issues }: Problem): boolean {
  return issues.length > 0 && issues.every(({ path }) => path[0] === 'resolutionPolicy')
}

/** The error for a form without a version, which no page of the service sends. */
function noVersion(): Problem {
  return new Problem('BAD_REQUEST', 'version must be the one you are editing: reload the page')
}

/** Opens closed rules with errors, which are shown beside their fields. Returns whether any was opened. */
function openInvalidRules({ rules }: Draft, { issues }: TestResult): boolean {
  const closed = new Set(issues.map(({ path }) => (path[1] === 'rules' ? Number(path[2]) : -1)))
  const wrong = rules.map((rule, at) => closed.has(at) && 'json' in rule && canOpen(rule))
  for (const [at, rule] of rules.entries()) if (wrong[at]) rules[at] = toOpenRule(rule)
  return wrong.includes(true)
}

/** Longer policies would not fit into a request once indented. */
const MAX_INDENTED = 150_000

/** A policy as editable text; a very long one has one rule per line. */
function policyText(policy: { version: 1; rules: readonly unknown[] }): string {
  const indented = JSON.stringify(policy, null, 2)
  if (indented.length <= MAX_INDENTED) return indented
  return `{"version":1,"rules":[\n${policy.rules.map((rule) => JSON.stringify(rule)).join(',\n')}\n]}`
}

/** The page as a response. */
function screenOf(bundle: StoredBundle, props: PolicyProps, problem?: Problem): ScreenPage {
  return {
    section: 'bundles',
    title: `Rules of ${headingOf(bundle)}`,
    view: <PolicyView {...props} />,
    problem,
    staysSaved: true,
  }
}
