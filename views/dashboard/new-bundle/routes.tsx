/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { BOUNDS, IN_COPIES } from '../../../src/bundles/content/content.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { isFree } from '../../../src/bundles/edit/dry-run.ts'
import { createBundle, getBundle } from '../../../src/bundles/edit/operations.ts'
import { ChosenSlug } from '../../../src/bundles/edit/unversioned.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { requireRole } from '../../../src/identity/caller.ts'
import { duplicateBundle } from '../../../src/launcher/duplicate.ts'
import { dropIds } from '../../../src/policies/rule-ids.ts'
import type { PasteForm } from '../../parts/builder/form.ts'
import { EMPTY_FORM, makePasted } from '../../parts/builder/making.ts'
import { withFlash } from '../../parts/messages.ts'
import type { EditorState } from '../parts/bundle-form/bundle-form.ts'
import { checkedForm } from '../parts/bundle-form/checked-form.ts'
import { contentOf, type FormInput, formOf, passwordOf, rulesOf } from '../parts/bundle-form/form.ts'
import { isPreviewHidden } from '../parts/bundle-form/preview.tsx'
import { answerTo, sentForm, stepOf, touched, untouched, withSeen } from '../parts/bundle-form/state.ts'
import {
  dryRun,
  iconsFor,
  type Outcome,
  resultOrProblem,
  run,
  type Screen,
  type ScreenPage,
  type Visit,
} from '../parts/screens.tsx'
import { CopyPage, NewBundlePage } from './view.tsx'

/** The form for a new bundle, and the editor of a copy. */
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
    return newBundlePage(visit, EMPTY_FORM, ChosenSlug.allows(slug) ? slug : '', null)
  }
  const title = from.title === null ? '' : `${[...from.title].slice(0, BOUNDS.title - COPY.length).join('')}${COPY}`
  return copyPage(visit, from, untouched({ ...formOf(from), title }))
}

const COPY = ' (copy)'

/** The bundle to copy; null for none. */
async function originalOf(visit: Visit, sent: URLSearchParams): Promise<StoredBundle | null> {
  const slug = sent.get('from')
  return slug ? { ...(await run(visit, getBundle, { slug })), ...IN_COPIES } : null
}

async function makeBundle(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  requireRole(visit.site.user.role, 'editor')
  const from = await originalOf(visit, sent)
  return from === null ? makeNew(visit, sent) : makeCopy(visit, sent, from)
}

/** Creates the bundles in a pasted text; one opens in its editor. */
async function makeNew(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const slug = (sent.get('slug') ?? '').trim()
  const taken = await makePasted(sent, {
    create: (input, conditions, parts) =>
      // Several bundles cannot have one link.
      run(visit, createBundle, slug === '' || parts > 1 ? input : { ...input, slug }, conditions),
  })
  const [first, ...others] = taken.made
  if ('left' in taken) {
    const isOne = first !== undefined && others.length === 0
    return {
      to: isOne ? withFlash(routes.bundle.edit.href({ slug: first.slug }), 'created') : routes.bundles.list.href(),
    }
  }
  const { refused, idempotencyKey } = taken
  if (refused?.problem.code === 'INTERNAL_ERROR') throw refused.thrown
  const form = { ...taken.form, made: first === undefined ? null : routes.bundles.list.href() }
  return newBundlePage(visit, form, slug, idempotencyKey, refused?.problem)
}

function newBundlePage(
  visit: Visit,
  form: PasteForm,
  slug: string,
  idempotencyKey: string | null,
  problem?: Problem,
): ScreenPage {
  const { inspect } = visit.service.config
  const props = {
    form,
    slug,
    idempotencyKey: idempotencyKey ?? randomUUID(),
    suggests: inspect === 'anyone' || inspect === 'signed-in',
    owner: visit.site.user.acting?.name ?? null,
    userId: visit.session.userId,
  }
  return { section: 'bundles', title: 'New bundle', view: <NewBundlePage {...props} />, problem }
}

/** Calls `duplicate_bundle`. */
function callOf(sent: URLSearchParams, from: StoredBundle, content: FormInput): Record<string, unknown> {
  const slug = sent.get('slug')?.trim()
  return { slug: from.slug, ...content, source: 'web', ...(slug ? { newSlug: slug } : {}) }
}

async function makeCopy(visit: Visit, sent: URLSearchParams, from: StoredBundle): Promise<Outcome> {
  const read = await sentForm(sent, formOf(from))
  const { form, button } = read
  const idempotencyKey = sent.get('idempotencyKey') || null
  const step = await stepOf(visit, read, (content) => dryRun(visit, duplicateBundle, callOf(sent, from, content)))
  if (step !== null) {
    const checked = { ...step.checked, isSlugFree: await isSlugFree(visit, step) }
    return copyPage(visit, from, { ...step, checked }, { idempotencyKey })
  }
  if (button === 'restore') return copyPage(visit, from, touched(form), { idempotencyKey })
  const { resolutionPolicy } = rulesOf(form)
  const rules = resolutionPolicy === undefined ? {} : { resolutionPolicy: dropIds(resolutionPolicy) }
  const made = await resultOrProblem(() => {
    const input = callOf(sent, from, { ...contentOf(form).content, ...rules, ...passwordOf(form) })
    return run(visit, duplicateBundle, input, { idempotencyKey })
  })
  if (!(made instanceof Problem)) return { to: withFlash(routes.bundle.edit.href({ slug: made.slug }), 'created') }
  const checked = checkedForm(form, made)
  if (made.code !== 'IDEMPOTENCY_CONFLICT') {
    return copyPage(visit, from, { ...touched(form), checked }, { idempotencyKey, problem: made })
  }
  const again = 'This form already created a bundle. Press again to create another one from what’s here now.'
  const state = { ...touched(form), checked: { ...checked, form: again } }
  return copyPage(visit, from, state, { idempotencyKey: null, problem: made })
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

async function copyPage(
  visit: Visit,
  from: StoredBundle,
  state: EditorState,
  making: Making = { idempotencyKey: null },
): Promise<Outcome> {
  const props = {
    from,
    userId: visit.session.userId,
    team: visit.site.user.acting ?? undefined,
    idempotencyKey: making.idempotencyKey ?? randomUUID(),
    state: await withSeen(visit, state, from.slug),
    icons: await iconsFor(visit, contentOf(state.form).content),
    isPreviewHidden: isPreviewHidden(visit.request),
  }
  return answerTo(state, {
    section: 'bundles',
    title: 'Duplicate',
    view: <CopyPage {...props} />,
    problem: making.problem,
  })
}
