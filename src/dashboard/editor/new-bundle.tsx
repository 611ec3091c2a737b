/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import type { BundleForm, EditorState } from '../../../views/dashboard/editor/bundle-form.ts'
import { NewBundlePage } from '../../../views/dashboard/editor/new-bundle.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import type { CreatedBundle } from '../../bundles/answers.ts'
import { BOUNDS } from '../../bundles/bounds.ts'
import { createBundle, getBundle } from '../../bundles/operations.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { ChosenSlug } from '../../bundles/shapes.ts'
import { Problem } from '../../core/problem.ts'
import { requireRole } from '../../identity/roles.ts'
import { duplicateBundle } from '../../launcher/duplicate.ts'
import type { Operation } from '../../operations/operation.ts'
import { withoutIds } from '../../policies/rule-ids.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Outcome, Screen, ScreenPage } from '../parts/screens.tsx'
import { dryRun, resultOrProblem, run, type Visit } from '../parts/visit.ts'
import {
  buttonOf,
  contentOf,
  type FormInput,
  formOf,
  NEW_FORM,
  passwordOf,
  pastedIn,
  readBundleForm,
} from './bundle-form.ts'
import { afterButton } from './buttons.ts'
import { checkedForm } from './checked-form.ts'
import { ownForm, ownOf } from './own-form.ts'
import { isPreviewHidden } from './preview.tsx'
import { check, touched, untouched } from './state.tsx'
import { rulesOf } from './variable-fields.ts'

/** The form for a new bundle, empty or a copy. */
export const newBundleScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/new',
    get: beginBundle,
    post: makeBundle,
  },
  {
    path: '/dashboard/links/new/check',
    post(visit, sent) {
      return check(visit, sent, (content) => {
        const { operation, input } = callOf(sent, content)
        return dryRun(visit, operation, input)
      })
    },
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

/** Of a bundle that is no copy: with what is its owner’s alone. */
const BLANK_FORM: BundleForm = { ...NEW_FORM, own: ownForm({ externalId: null, metadata: null }) }

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
  const pasted = await pastedIn(sent)
  const form = readBundleForm(sent, from === null ? BLANK_FORM : formOf(from), pasted)
  const idempotencyKey = sent.get('idempotencyKey') || null
  const pressed = afterButton(form, buttonOf(sent, pasted))
  if (pressed !== null) {
    const title = pressed.form.title.trim() === '' ? (pasted?.title ?? '') : pressed.form.title
    const state = { ...touched({ ...pressed.form, title }), pasted, focus: pressed.focus }
    return newBundlePage(visit, from, state, { idempotencyKey })
  }
  if (buttonOf(sent, pasted) === 'restore') return newBundlePage(visit, from, touched(form), { idempotencyKey })
  const { resolutionPolicy } = rulesOf(form)
  const rules = resolutionPolicy === undefined ? {} : { resolutionPolicy: withoutIds(resolutionPolicy) }
  const made = await resultOrProblem(() => {
    const { operation, input } = callOf(sent, { ...contentOf(form).content, ...rules, ...passwordOf(form) })
    return run(visit, operation, { ...input, ...ownOf(form) }, { idempotencyKey })
  })
  if (!(made instanceof Problem)) return { to: withFlash(`/dashboard/links/${made.slug}`, 'created') }
  const checked = checkedForm(form, made)
  if (made.code !== 'IDEMPOTENCY_CONFLICT') {
    return newBundlePage(visit, from, { ...touched(form), checked }, { idempotencyKey, problem: made })
  }
  const again = 'This form already created a bundle. Press again to create another one from what’s here now.'
  const state = { ...touched(form), checked: { ...checked, form: again } }
  return newBundlePage(visit, from, state, { idempotencyKey: null, problem: made })
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
): Promise<ScreenPage> {
  const props = {
    from,
    userId: visit.session.userId,
    idempotencyKey: making.idempotencyKey ?? randomUUID(),
    state,
    icons: await iconsFor(visit, contentOf(state.form).content),
    isPreviewHidden: isPreviewHidden(visit.request),
  }
  const view = <NewBundlePage {...props} />
  return { section: 'bundles', title: from === null ? 'New bundle' : 'Duplicate', view, problem: making.problem }
}
