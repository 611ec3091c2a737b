/** @jsxImportSource @kitajs/html */

import { isDeepStrictEqual } from 'node:util'
import { type } from 'arktype'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import { type AbsentFacts, findingsOf, type Tried } from '../../../views/dashboard/rules/notes.ts'
import {
  Checked,
  ClearView,
  ownTabs,
  Part,
  type PolicyProps,
  PolicyView,
  RulesSection,
  Unsaved,
  type Writing,
} from '../../../views/dashboard/rules/page.tsx'
import { Tester, type TriedViewer, Verdict, VIEWER_FIELDS } from '../../../views/dashboard/rules/tester.tsx'
import { headingOf } from '../../../views/launcher/launcher.tsx'
import type { StoredBundle } from '../../bundles/access.ts'
import { getBundle, updateBundle } from '../../bundles/operations.ts'
import { Problem } from '../../core/problem.ts'
import { versionIn } from '../../http/fields.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { allowsRole } from '../../identity/roles.ts'
import { FIELDS } from '../../policies/conditions.ts'
import { Policy, type SentPolicy } from '../../policies/shapes.ts'
import { seen } from '../../policies/viewer.ts'
import { conflictOf, sidesOf } from '../editor/conflict.tsx'
import type { Outcome, Screen, Shown } from '../screens.tsx'
import { explained, run, type Visit } from '../visit.ts'
import { canOpen, type Draft, draftOf, opened, written } from './draft.ts'
import { edit } from './draft-edits.ts'
import { readRules, type SentRules } from './form.ts'
import { policyText, readPolicyJson, wrongInJson } from './json.ts'
import { tryOut } from './try.ts'

/** The rules of a bundle: written, read and tried (decisions 11). */
export const policyScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/policy',
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const source = { draft: draftOf(bundle.resolutionPolicy) }
      return shown(bundle, await look(visit, bundle, { ...FRESH, source, version: bundle.versionNumber }))
    },
    async post(visit, form) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const sent = readRules(form)
      const [action] = sent.action
      if (action === 'save' && sent.source !== null) return save(visit, bundle, sent, sent.source)
      const viewer = action === 'me' ? whoAsks(visit, bundle) : sent.viewer
      const state = { ...FRESH, ...sent, viewer, ...(sent.source === null ? {} : pressed(sent, sent.source, bundle)) }
      const props = await look(visit, bundle, state)
      return htmxTarget(visit.request) === null ? shown(bundle, props) : part(action ?? '', props)
    },
  },
  {
    path: '/dashboard/links/:slug/policy/clear',
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const { resolutionPolicy } = bundle
      if (resolutionPolicy === null) return { to: `/dashboard/links/${bundle.slug}/policy` }
      const view = <ClearView bundle={{ ...bundle, resolutionPolicy }} />
      return { section: 'bundles', title: `Clear the rules of ${headingOf(bundle)}`, view }
    },
    async post(visit, form) {
      const input = { slug: visit.params.slug, resolutionPolicy: null }
      const expectedVersion = versionIn(form.get('version') ?? '')
      if (expectedVersion === null) throw noVersion()
      const { slug, versionNumber } = await run(visit, updateBundle, input, { expectedVersion })
      const undo = { slug, version: String(versionNumber) }
      return { to: withFlash(`/dashboard/links/${slug}/policy`, 'cleared', undo) }
    },
  },
]

type Source = NonNullable<SentRules['source']>

/** The page as it is to be shown, before its rules are tried. */
interface State {
  source: Source | null
  version: number | null
  removed: SentRules['removed']
  viewer: TriedViewer
  zone: string
  focus: string
  said: string
  moment: 'writing' | 'saving'
  alert: string | null
  conflict: JSX.Element | null
}

const FRESH: Omit<State, 'source' | 'version'> = {
  removed: null,
  viewer: Object.fromEntries(VIEWER_FIELDS.map((name) => [name, ''])) as TriedViewer,
  zone: '',
  focus: '',
  said: '',
  moment: 'writing',
  alert: null,
  conflict: null,
}

/** What a button makes of the rules. */
function pressed(
  { action, removed }: SentRules,
  source: Source,
  bundle: StoredBundle,
): Pick<State, 'source' | 'focus' | 'said' | 'removed'> {
  const [name] = action
  const same = { source, removed, focus: '', said: '' }
  if ('json' in source) return name === 'builder' ? { ...same, source: fromJson(source.json) ?? source } : same
  if (name === 'json')
    return { ...same, source: { json: policyText(written(source.draft)) }, removed: null, focus: 'json' }
  if (name === undefined || !name.includes('.')) return same
  return { source, ...edit({ draft: source.draft, own: ownTabs(bundle), removed }, action) }
}

/** The builder's rules of a text of JSON; null where fields could not hold all that it says. */
function fromJson(text: string): { draft: Draft } | null {
  const read = readPolicyJson(text)
  if (!('value' in read)) return null
  const policy = canonical(read.value)
  const draft = draftOf(policy ?? read.value)
  if (policy !== null || read.value === null) return { draft }
  return isDeepStrictEqual(written(draft), read.value) && draft.rules.every(canOpen) ? { draft } : null
}

/** A policy in its canonical form; null for what is none. */
function canonical(json: unknown): SentPolicy | null {
  const policy = Policy(json)
  return policy instanceof type.errors ? null : policy
}

/** The policy that is written; `wrong` where its text is no JSON. Without rules there is none. */
function policyOf(source: Source): { policy: unknown } | { wrong: string } {
  if ('draft' in source) return { policy: source.draft.rules.length === 0 ? null : written(source.draft) }
  const read = readPolicyJson(source.json)
  return 'wrong' in read ? read : { policy: read.value }
}

/** Tries the rules as they stand, and puts together what the page is told. */
async function look(visit: Visit, bundle: StoredBundle, state: State): Promise<PolicyProps> {
  const { site } = visit
  const { viewer, zone, alert, conflict, moment } = state
  const source = allowsRole(roleOver(bundle, site.viewer), 'editor') ? state.source : null
  const read = source === null ? { policy: undefined } : policyOf(source)
  const tried: Tried =
    'wrong' in read
      ? { preview: null, places: [], issues: [], message: read.wrong }
      : await tryOut(visit, read.policy, viewer)
  const draft = source !== null && 'draft' in source ? source.draft : draftOf(bundle.resolutionPolicy)
  const findings = findingsOf(draft, tried, absentHere(bundle, visit), moment)
  const writing = source === null ? null : writingOf(state, source, read, tried, bundle)
  return { site, bundle, writing, viewer, tried, findings, alert, conflict, zone }
}

function writingOf(
  { version, removed, focus, said }: State,
  source: Source,
  read: ReturnType<typeof policyOf>,
  tried: Tried,
  bundle: StoredBundle,
): Writing {
  const isUnsaved = 'wrong' in read || isChanged(read.policy, bundle)
  const rest = { removed, focus, said, isChanged: isUnsaved, version: version ?? bundle.versionNumber }
  if ('draft' in source) return { ...rest, source }
  const wrong = 'wrong' in read ? [read.wrong] : wrongInJson(source.json, tried.issues)
  return { ...rest, source: { json: { text: source.json, wrong } } }
}

/** Whether a policy is another than the saved one; one without rules is none. */
function isChanged(policy: unknown, { resolutionPolicy: saved }: StoredBundle): boolean {
  return !isDeepStrictEqual(policy, saved !== null && saved.rules.length === 0 ? null : saved)
}

/** Facts that are absent for every viewer of this bundle here. */
function absentHere({ owner }: StoredBundle, { service }: Visit): AbsentFacts {
  const { countryHeader } = service.config
  return {
    ...(countryHeader === undefined
      ? { country: 'No viewer has a country here: SERVICE_COUNTRY_HEADER is not set.' }
      : {}),
    ...(owner.type === 'user' ? { orgRole: 'No viewer has a role here: this bundle belongs to no organisation.' } : {}),
  }
}

function shown(bundle: StoredBundle, props: PolicyProps, problem?: Problem): Shown {
  return { section: 'bundles', title: `Rules of ${headingOf(bundle)}`, view: <PolicyView {...props} />, problem }
}

/** What of the page a button of the form changes. */
function part(action: string, props: PolicyProps): Outcome {
  const { writing, viewer, tried, findings, bundle } = props
  if (action === 'check') return { part: <Checked {...props} /> }
  if (action === 'me' || writing === null) {
    return { part: <Tester viewer={viewer} tried={tried} findings={findings} />, into: '#try' }
  }
  const view = (
    <>
      <RulesSection writing={writing} bundle={bundle} findings={findings} />
      <Part id="verdict">
        <Verdict tried={tried} />
      </Part>
      <Part id="unsaved">
        <Unsaved isChanged={writing.isChanged} slug={bundle.slug} />
      </Part>
    </>
  )
  return { part: view, into: '#rules' }
}

/** Saves the rules, or gives the page with everything as it was typed and what stands against it. */
async function save(visit: Visit, bundle: StoredBundle, sent: SentRules, source: Source): Promise<Outcome> {
  const { slug } = bundle
  const read = policyOf(source)
  const page = `/dashboard/links/${slug}/policy`
  const state: State = { ...FRESH, ...sent, source, moment: 'saving' }
  if ('wrong' in read) {
    const problem = new Problem('BAD_REQUEST', read.wrong)
    return shown(bundle, await look(visit, bundle, { ...state, alert: NOT_SAVED }), problem)
  }
  const { version } = sent
  if (version === null) throw noVersion()
  if (version === bundle.versionNumber && !isChanged(read.policy, bundle)) return { to: withFlash(page, 'unchanged') }
  const change = { slug, resolutionPolicy: read.policy }
  const saved = await explained(() => run(visit, updateBundle, change, { expectedVersion: version }))
  if (!(saved instanceof Problem)) return { to: withFlash(page, 'saved') }
  if (saved.code === 'VERSION_CONFLICT') {
    const sides = await sidesOf(visit, slug, version)
    const { theirs } = sides
    const conflict = conflictOf(visit, sides, { content: { resolutionPolicy: canonical(read.policy) }, page })
    return shown(theirs, await look(visit, theirs, { ...state, conflict, version: theirs.versionNumber }), saved)
  }
  const props = await look(visit, bundle, { ...state, alert: saved.issues.length === 0 ? saved.message : NOT_SAVED })
  if (!('draft' in source) || !openWrong(source.draft, props.tried)) return shown(bundle, props, saved)
  return shown(bundle, await look(visit, bundle, { ...state, alert: props.alert }), saved)
}

function noVersion(): Problem {
  return new Problem('BAD_REQUEST', 'version must be the version that you edit: open the page anew')
}

const NOT_SAVED = 'Not saved yet: what needs a change is marked below. Nothing is lost.'

/** Errors are shown beside the fields that they concern. Tells whether any rule had to be opened for that. */
function openWrong({ rules }: Draft, { issues }: Tried): boolean {
  const closed = new Set(issues.map(({ path }) => (path[1] === 'rules' ? Number(path[2]) : -1)))
  const wrong = rules.map((rule, at) => closed.has(at) && 'json' in rule && canOpen(rule))
  for (const [at, rule] of rules.entries()) if (wrong[at]) rules[at] = opened(rule)
  return wrong.includes(true)
}

/** What a launcher would see of whoever asks. */
function whoAsks(visit: Visit, bundle: StoredBundle): TriedViewer {
  const { request, service, session } = visit
  const orgRole = bundle.owner.type === 'organization' ? roleOver(bundle, visit.site.viewer) : null
  const account = { emailDomain: session.emailDomain, orgRole }
  const { countryHeader } = service.config
  const viewer = seen({ headers: request.headers, url: '', now: Date.now(), countryHeader, account })
  const facts = Object.fromEntries(FIELDS.map((field) => [field, viewer.fact(field) ?? '']))
  // The page that is asked from is this one.
  return { ...FRESH.viewer, ...facts, signedIn: 'true', referrerDomain: '' }
}
