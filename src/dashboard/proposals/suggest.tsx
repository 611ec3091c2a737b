/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { SuggestPage } from '../../../views/dashboard/proposals/editing.tsx'
import { type GuardedName, PROPOSABLE_NAMES, pick } from '../../bundles/content.ts'
import { type Content, diff } from '../../bundles/diff.ts'
import { getBundle } from '../../bundles/operations.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { listVersions } from '../../bundles/version-operations.ts'
import { besideField } from '../../core/field-words.ts'
import { Problem } from '../../core/problem.ts'
import { versionIn } from '../../http/fields.ts'
import { proposeEdit } from '../../proposals/operations.ts'
import {
  buttonOf,
  contentOf,
  type FormContent,
  type FormInput,
  formOf,
  pastedIn,
  readBundleForm,
} from '../editor/bundle-form.ts'
import { afterButton } from '../editor/buttons.ts'
import { checkedForm } from '../editor/checked-form.ts'
import { isPreviewHidden, refuseInvalid } from '../editor/preview.tsx'
import { check, touched, untouched } from '../editor/state.tsx'
import { rulesOf } from '../editor/variable-fields.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Outcome, Screen, ScreenPage } from '../parts/screens.tsx'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'

const PATH = '/dashboard/links/:slug/suggest'

/** The editor for members who may suggest edits, but not make them. */
export const suggestionScreens: readonly Screen[] = [
  {
    path: PATH,
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const version = bundle.versionNumber
      const fresh = { version, idempotencyKey: randomUUID(), reason: '', state: untouched(formOf(bundle)) }
      return suggestPage(visit, bundle, fresh)
    },
    post: suggest,
  },
  {
    path: `${PATH}/check`,
    post: (visit, sent) => check(visit, sent, async (input) => refuseInvalid(proposable(input), visit)),
  },
]

async function suggest(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const { slug = '' } = visit.params
  const bundle = await run(visit, getBundle, { slug })
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you started from: reload the bundle')
  const { versions } = await run(visit, listVersions, { slug, before: version + 1, limit: 1 })
  const base = versions[0] ?? bundle
  const pasted = await pastedIn(sent)
  const form = readBundleForm(sent, formOf(base), pasted)
  const reason = (sent.get('reason') ?? '').replaceAll('\r\n', '\n')
  const idempotencyKey = sent.get('idempotencyKey') || randomUUID()
  const pressed = afterButton(form, buttonOf(sent, pasted))
  const shown = { version, idempotencyKey, reason }
  if (pressed !== null) {
    const state = { ...touched(pressed.form), pasted, focus: pressed.focus }
    return suggestPage(visit, bundle, { ...shown, state })
  }
  const changes = { ...changed(base, contentOf(form).content), ...rulesOf(form) }
  const why = reason.trim() === '' ? {} : { reason }
  const input = { slug, baseVersion: version, ...changes, ...why }
  const made = await resultOrProblem(() => run(visit, proposeEdit, input, { idempotencyKey }))
  if (!(made instanceof Problem)) return { to: withFlash(`/dashboard/links/${slug}/proposals/${made.id}`, 'proposed') }
  const problem = Object.keys(changes).length === 0 ? new Problem('BAD_REQUEST', NOTHING) : made
  // What was sent with the key cannot be sent differently.
  const key = made.code === 'IDEMPOTENCY_CONFLICT' ? randomUUID() : idempotencyKey
  const state = { ...touched(form), checked: checkedForm(form, problem) }
  return suggestPage(visit, bundle, { ...shown, idempotencyKey: key, state }, problem)
}

const NOTHING = 'You haven’t changed anything yet.'

/** The fields that differ between the version that a form started from and the form. */
function changed(base: Content, content: FormContent): Partial<FormContent> {
  const { fields, links, variables } = diff(base, { ...base, ...content })
  const { urls, urlMetadata } = content
  return {
    ...(links.length === 0 ? {} : { urls, urlMetadata }),
    ...(variables.length === 0 ? {} : { variables: content.variables }),
    ...Object.fromEntries(PROPOSABLE_NAMES.filter((name) => name in fields).map((name) => [name, content[name]])),
  }
}

type Suggestion = Pick<Parameters<typeof SuggestPage>[0], 'version' | 'idempotencyKey' | 'state'> & { reason: string }

async function suggestPage(
  visit: Visit,
  bundle: StoredBundle,
  { reason, ...suggestion }: Suggestion,
  problem?: Problem,
): Promise<ScreenPage> {
  const issue = problem?.issues.find(({ path }) => path[0] === 'reason')
  const view = (
    <SuggestPage
      {...suggestion}
      site={visit.site}
      bundle={bundle}
      reason={{ text: reason, error: issue && besideField(issue.reason) }}
      icons={await iconsFor(visit, contentOf(suggestion.state.form).content)}
      isPreviewHidden={isPreviewHidden(visit.request)}
    />
  )
  return { section: 'bundles', title: 'Suggest an edit', view, problem }
}

/** What of a form can be proposed: who may see or copy a bundle is for its editors to decide, on its own page. */
export function proposable(input: FormInput): Omit<FormContent, GuardedName> {
  return pick(['urls', 'urlMetadata', 'variables', ...PROPOSABLE_NAMES], input)
}
