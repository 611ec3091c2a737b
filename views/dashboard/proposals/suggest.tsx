/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { type GuardedName, PROPOSABLE_NAMES, pick } from '../../../src/bundles/content/content.ts'
import { type Content, diff } from '../../../src/bundles/content/diff.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { listVersions } from '../../../src/bundles/edit/history.ts'
import { getBundle } from '../../../src/bundles/edit/operations.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { versionIn } from '../../../src/http/body.ts'
import { proposeEdit } from '../../../src/proposals/operations.ts'
import { withFlash } from '../../parts/messages.ts'
import { checkedForm } from '../parts/bundle-form/checked-form.ts'
import { contentOf, type FormContent, type FormInput, formOf, rulesOf } from '../parts/bundle-form/form.ts'
import { isPreviewHidden, refuseInvalid } from '../parts/bundle-form/preview.tsx'
import { answerTo, sentForm, stepOf, touched, untouched, withSeen } from '../parts/bundle-form/state.ts'
import { iconsFor, type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { SuggestPage } from './editing.tsx'

/** The editor for members who may suggest edits but not save them. */
export const suggestionScreens: readonly Screen[] = [
  {
    path: routes.bundle.suggest.path,
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const version = bundle.versionNumber
      const fresh = { version, idempotencyKey: randomUUID(), reason: '', state: untouched(formOf(bundle)) }
      return suggestPage(visit, bundle, fresh)
    },
    post: suggest,
  },
]

async function suggest(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const { slug = '' } = visit.params
  const bundle = await run(visit, getBundle, { slug })
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you started from: reload the bundle')
  const { versions } = await run(visit, listVersions, { slug, before: version + 1, limit: 1 })
  const base = versions[0] ?? bundle
  const read = await sentForm(sent, formOf(base))
  const { form } = read
  const reason = (sent.get('reason') ?? '').replaceAll('\r\n', '\n')
  const idempotencyKey = sent.get('idempotencyKey') || randomUUID()
  const state = await stepOf(visit, read, async (input) => refuseInvalid(proposable(input), visit))
  const shown = { version, idempotencyKey, reason }
  if (state !== null) return suggestPage(visit, bundle, { ...shown, state })
  const changes = { ...changed(base, contentOf(form).content), ...rulesOf(form) }
  const why = reason.trim() === '' ? {} : { reason }
  const input = { slug, baseVersion: version, ...changes, ...why }
  const made = await resultOrProblem(() => run(visit, proposeEdit, input, { idempotencyKey }))
  if (!(made instanceof Problem))
    return { to: withFlash(routes.bundle.proposal.href({ slug, id: made.id }), 'proposed') }
  const isSame = Object.keys(changes).length === 0
  const problem = isSame ? new Problem('BAD_REQUEST', NOTHING) : made
  // A key cannot be reused with different content.
  const key = made.code === 'IDEMPOTENCY_CONFLICT' ? randomUUID() : idempotencyKey
  const refused = { ...(isSame ? untouched(form) : touched(form)), checked: checkedForm(form, problem) }
  return suggestPage(visit, bundle, { ...shown, idempotencyKey: key, state: refused }, problem)
}

const NOTHING = 'You haven’t changed anything yet.'

/** The fields that differ between the form and its base version. */
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
): Promise<Outcome> {
  const issue = problem?.issues.find(({ path }) => path[0] === 'reason')
  const view = (
    <SuggestPage
      {...suggestion}
      state={await withSeen(visit, suggestion.state, bundle.slug)}
      site={visit.site}
      bundle={bundle}
      reason={{ text: reason, error: issue && besideField(issue.reason) }}
      icons={await iconsFor(visit, contentOf(suggestion.state.form).content)}
      isPreviewHidden={isPreviewHidden(visit.request)}
    />
  )
  return answerTo(suggestion.state, { section: 'bundles', title: 'Suggest an edit', view, problem })
}

/** The part of a form that can be proposed: only editors decide on the audience and copies of a bundle, on its own page. */
export function proposable(input: FormInput): Omit<FormContent, GuardedName> {
  return pick(['urls', 'urlMetadata', 'variables', ...PROPOSABLE_NAMES], input)
}
