/** @jsxImportSource @kitajs/html */

import { FACTS } from '../../../db/policy.ts'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import { CheckedRules } from '../../../views/dashboard/rules/checked-rules.tsx'
import { ClearView } from '../../../views/dashboard/rules/clear.tsx'
import type { PolicyProps } from '../../../views/dashboard/rules/page.tsx'
import { OutOfBand } from '../../../views/dashboard/rules/parts.tsx'
import { RulesSection, Unsaved } from '../../../views/dashboard/rules/section.tsx'
import { Tester } from '../../../views/dashboard/rules/tester.tsx'
import { Verdict } from '../../../views/dashboard/rules/verdict.tsx'
import { headingOf } from '../../../views/launcher/launcher.tsx'
import type { StoredBundle } from '../../bundles/access.ts'
import { getBundle, updateBundle } from '../../bundles/operations.ts'
import { versionIn } from '../../http/fields.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { draftOf, ownTabs, toPolicy } from '../../policies/draft/draft.ts'
import { edit } from '../../policies/draft/edits.ts'
import type { TestViewer } from '../../policies/draft/test-viewer.ts'
import { viewerOf } from '../../policies/viewer.ts'
import type { Outcome, Screen } from '../screens.tsx'
import { run, type Visit } from '../visit.ts'
import { readRules, type SentRules } from './form.ts'
import { policyText } from './json.ts'
import { FRESH, pageOf, type State, screenOf } from './page.tsx'
import { noVersion, save } from './save.ts'
import { fromJson, type Source } from './source.ts'

/** The rules page of a bundle: edit, read and test. */
export const policyScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/policy',
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
      const viewer = action === 'me' ? visitorAsViewer(visit, bundle) : sent.viewer
      const state = {
        ...FRESH,
        ...sent,
        viewer,
        ...(sent.source === null ? {} : applyAction(sent, sent.source, bundle)),
      }
      const props = await pageOf(visit, bundle, state)
      return htmxTarget(visit.request) === null ? screenOf(bundle, props) : part(action ?? '', props)
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

/** The rules after a button. */
function applyAction(
  { action, removed }: SentRules,
  source: Source,
  bundle: StoredBundle,
): Pick<State, 'source' | 'focus' | 'announcement' | 'removed'> {
  const [name] = action
  const same = { source, removed, focus: '', announcement: '' }
  if ('json' in source) return name === 'builder' ? { ...same, source: fromJson(source.json) ?? source } : same
  if (name === 'json')
    return { ...same, source: { json: policyText(toPolicy(source.draft)) }, removed: null, focus: 'json' }
  if (name === undefined || !name.includes('.')) return same
  return { source, ...edit({ draft: source.draft, own: ownTabs(bundle), removed }, action) }
}

/** The part of the page that a button changes. */
function part(action: string, props: PolicyProps): Outcome {
  const { editor, viewer, testResult, findings, bundle } = props
  if (action === 'check') return { part: <CheckedRules {...props} /> }
  if (action === 'me' || editor === null) {
    return { part: <Tester viewer={viewer} testResult={testResult} findings={findings} />, into: '#try' }
  }
  const view = (
    <>
      <RulesSection editor={editor} bundle={bundle} findings={findings} />
      <OutOfBand id="verdict">
        <Verdict testResult={testResult} />
      </OutOfBand>
      <OutOfBand id="unsaved">
        <Unsaved isChanged={editor.isChanged} slug={bundle.slug} />
      </OutOfBand>
    </>
  )
  return { part: view, into: '#rules' }
}

/** The visitor as the launcher would see them. */
function visitorAsViewer(visit: Visit, bundle: StoredBundle): TestViewer {
  const { request, service, session } = visit
  const orgRole = bundle.owner.type === 'organization' ? roleOver(bundle, visit.site.user) : null
  const account = { emailDomain: session.emailDomain, orgRole }
  const { countryHeader } = service.config
  const viewer = viewerOf({ headers: request.headers, url: '', now: Date.now(), countryHeader, account })
  const facts = Object.fromEntries(FACTS.map((fact) => [fact, viewer.fact(fact) ?? '']))
  // The referrer is this page, which no viewer comes from.
  return { ...FRESH.viewer, ...facts, signedIn: 'true', referrerDomain: '' }
}
