/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import type { CreatedBundle } from '../../../src/bundles/content/answers.ts'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { isFree } from '../../../src/bundles/edit/dry-run.ts'
import { createBundle, getBundle } from '../../../src/bundles/edit/operations.ts'
import { ChosenSlug } from '../../../src/bundles/edit/unversioned.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { requireRole } from '../../../src/identity/caller.ts'
import { duplicateBundle } from '../../../src/launcher/duplicate.ts'
import type { Operation } from '../../../src/operations/operation.ts'
import { dropIds } from '../../../src/policies/rule-ids.ts'
import { withFlash } from '../../parts/messages.ts'
import type { BundleForm, EditorState } from '../parts/bundle-form/bundle-form.ts'
import { checkedForm } from '../parts/bundle-form/checked-form.ts'
import { contentOf, type FormInput, formOf, NEW_FORM, passwordOf, rulesOf } from '../parts/bundle-form/form.ts'
import { ownForm, ownOf } from '../parts/bundle-form/own.tsx'
import { isPreviewHidden } from '../parts/bundle-form/preview.tsx'
import { answerTo, sentForm, stepOf, touched, untouched, withSeen } from '../parts/bundle-form/state.ts'
import { dryRun, iconsFor, type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { NewBundlePage } from './view.tsx'

/** The form for a new bundle, empty or a copy. */
export const newBundleScreens: readonly Screen[] = [
  {
    path: routes.newBundle.page.path,
    get: beginBundle,
    post: makeBundle,
  },
]

async function beginBundle(visit: Visit): Promise<Outcome> {
  requireRole(visit.site.user.role, 'editor')
  const from = await originalOf(visit, visit.query)
  if (from === null) {
    const slug = visit.query.get('slug') ?? ''
    const form = { ...BLANK_FORM, slug: ChosenSlug.allows(slug) ? slug : '' }
    return newBundlePage(visit, from, { ...untouched(form), focus: { paste: true } })
  }
  const title = from.title === null ? '' : `${[...from.title].slice(0, BOUNDS.title - COPY.length).join('')}${COPY}`
  return newBundlePage(visit, from, untouched({ ...formOf(from), title }))
}

/** For a bundle that is no copy: with the fields that only the owner edits. */
const BLANK_FORM: BundleForm = { ...NEW_FORM, own: ownForm({ externalId: null, metadata: null, aliases: null }) }

const COPY = ' (copy)'

/** The bundle to copy; null for an empty form. */
async function originalOf(visit: Visit, sent: URLSearchParams): Promise<StoredBundle | null> {
  const slug = sent.get('from')
  return slug ? run(visit, getBundle, { slug }) : null
}

/** Calls `create_bundle`, or `duplicate_bundle` for a copy. */
function callOf(
  sent: URLSearchParams,
  content: FormInput,
): { operation: Operation<unknown, CreatedBundle>; input: Record<string, unknown> } {
  const [from, slug] = [sent.get('from'), sent.get('slug')?.trim()]
  const making = { ...content, source: 'web' }
  return from
    ? { operation: duplicateBundle, input: { slug: from, ...making, ...(slug ? { newSlug: slug } : {}) } }
    : { operation: createBundle, input: { ...making, ...(slug ? { slug } : {}) } }
}

async function makeBundle(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const from = await originalOf(visit, sent)
  const read = await sentForm(sent, from === null ? BLANK_FORM : formOf(from))
  const { form, pasted, button } = read
  const idempotencyKey = sent.get('idempotencyKey') || null
  const step = await stepOf(visit, read, (content) => {
    const { operation, input } = callOf(sent, content)
    return dryRun(visit, operation, input)
  })
  if (step !== null) {
    const title = step.form.title.trim() === '' ? (pasted?.title ?? '') : step.form.title
    const checked = { ...step.checked, isSlugFree: await isSlugFree(visit, step) }
    return newBundlePage(visit, from, { ...step, checked, form: { ...step.form, title } }, { idempotencyKey })
  }
  if (button === 'restore') return newBundlePage(visit, from, touched(form), { idempotencyKey })
  const { resolutionPolicy } = rulesOf(form)
  const rules = resolutionPolicy === undefined ? {} : { resolutionPolicy: dropIds(resolutionPolicy) }
  const made = await resultOrProblem(() => {
    const { operation, input } = callOf(sent, { ...contentOf(form).content, ...rules, ...passwordOf(form) })
    return run(visit, operation, { ...input, ...ownOf(form) }, { idempotencyKey })
  })
  if (!(made instanceof Problem)) return { to: withFlash(routes.bundle.edit.href({ slug: made.slug }), 'created') }
  const checked = checkedForm(form, made)
  if (made.code !== 'IDEMPOTENCY_CONFLICT') {
    return newBundlePage(visit, from, { ...touched(form), checked }, { idempotencyKey, problem: made })
  }
  const again = 'This form already created a bundle. Press again to create another one from what’s here now.'
  const state = { ...touched(form), checked: { ...checked, form: again } }
  return newBundlePage(visit, from, state, { idempotencyKey: null, problem: made })
}

/** Whether the chosen slug is known to be free. */
async function isSlugFree({ service, context }: Visit, { form, checked }: EditorState): Promise<boolean> {
  const slug = form.slug.trim()
  const isWrong = slug === '' || checked.errors.some(({ field }) => field === 'slug')
  return !isWrong && isFree(slug, { ...service, caller: context.caller })
}

interface Making {
  /** Null for an empty form. */
  idempotencyKey: string | null
  problem?: Problem
}

async function newBundlePage(
  visit: Visit,
  from: StoredBundle | null,
  state: EditorState,
  making: Making = { idempotencyKey: null },
): Promise<Outcome> {
  const props = {
    from,
    userId: visit.session.userId,
    idempotencyKey: making.idempotencyKey ?? randomUUID(),
    state: await withSeen(visit, state, from?.slug ?? ''),
    icons: await iconsFor(visit, contentOf(state.form).content),
    isPreviewHidden: isPreviewHidden(visit.request),
  }
  const view = <NewBundlePage {...props} />
  const title = from === null ? 'New bundle' : 'Duplicate'
  return answerTo(state, { section: 'bundles', title, view, problem: making.problem })
}
