/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import type { EditorState } from '../../../views/dashboard/editor/bundle-form.ts'
import { LinkRows } from '../../../views/dashboard/editor/link-rows.tsx'
import { NewBundlePage } from '../../../views/dashboard/editor/new-bundle.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import type { StoredBundle } from '../../bundles/access.ts'
import { BOUNDS } from '../../bundles/bounds.ts'
import { createBundle, getBundle } from '../../bundles/operations.ts'
import { Problem } from '../../core/problem.ts'
import { requireRole } from '../../identity/roles.ts'
import type { Outcome, Screen, Shown } from '../screens.tsx'
import { explained, rehearse, run, type Visit } from '../visit.ts'
import { afterButton, checkedForm, contentOf, formOf, NEW_FORM, readBundleForm } from './bundle-form.ts'
import { check, touched, untouched } from './state.tsx'

/** A bundle that is yet to be made: new, or a copy of another. */
export const newBundleScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/new',
    get: beginBundle,
    post: makeBundle,
  },
  {
    path: '/dashboard/links/new/check',
    post: (visit, sent) => check(sent, (content) => rehearse(visit, createBundle, { ...content, ...slugIn(sent) })),
  },
  {
    path: '/dashboard/links/new/rows',
    /** The rows of pasted links, or an empty one. */
    async post(_, sent) {
      const { links } = readBundleForm(new URLSearchParams({ more: sent.get('text') ?? '' }))
      const rows = links.length === 0 ? NEW_FORM.links : links
      const ids = `link-${randomUUID().slice(0, 8)}`
      return { part: <LinkRows links={rows} checked={checkedForm(NEW_FORM, null)} ids={ids} focus={null} /> }
    },
  },
]

async function beginBundle(visit: Visit): Promise<Outcome> {
  requireRole(visit.site.viewer.role, 'editor')
  const from = await copiedFrom(visit, visit.query.get('from'))
  if (from === null) return shownNew(from, { ...untouched(NEW_FORM), focus: { link: 0, on: 'url' } })
  const title = from.title === null ? '' : `${[...from.title].slice(0, BOUNDS.title - COPY.length).join('')}${COPY}`
  return shownNew(from, untouched({ ...formOf(from), title }))
}

const COPY = ' (copy)'

async function copiedFrom(visit: Visit, slug: string | null): Promise<StoredBundle | null> {
  return slug ? run(visit, getBundle, { slug }) : null
}

async function makeBundle(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const form = readBundleForm(sent)
  const from = await copiedFrom(visit, sent.get('from'))
  const idempotencyKey = sent.get('idempotencyKey') || null
  const pressed = afterButton(form, sent.get('do') ?? '')
  if (pressed !== null) {
    return shownNew(from, { ...touched(pressed.form), focus: pressed.focus }, { idempotencyKey })
  }
  const input = { ...contentOf(form).content, ...slugIn(sent), ...rulesOf(from), source: 'web' }
  const made = await explained(() => run(visit, createBundle, input, { idempotencyKey }))
  if (!(made instanceof Problem)) return { to: withFlash(`/dashboard/links/${made.slug}`, 'created') }
  const checked = checkedForm(form, made)
  if (made.code !== 'IDEMPOTENCY_CONFLICT') {
    return shownNew(from, { ...touched(form), checked }, { idempotencyKey, problem: made })
  }
  const again = 'This form has made a bundle already. Press again to make another one of what stands here.'
  const state = { ...touched(form), checked: { ...checked, form: again } }
  return shownNew(from, state, { idempotencyKey: null, problem: made })
}

/** The link that was chosen, if any was. */
function slugIn(sent: URLSearchParams) {
  const slug = sent.get('slug')?.trim() ?? ''
  return slug === '' ? {} : { slug }
}

/** A copy has the rules of what it is copied from, and counts them anew. */
function rulesOf(from: StoredBundle | null) {
  if (from === null || from.resolutionPolicy === null) return {}
  const { version, rules } = from.resolutionPolicy
  return { resolutionPolicy: { version, rules: rules.map(({ id: _, ...rule }) => rule) } }
}

interface Making {
  /** Null: a new one. */
  idempotencyKey: string | null
  problem?: Problem
}

function shownNew(from: StoredBundle | null, state: EditorState, making: Making = { idempotencyKey: null }): Shown {
  const idempotencyKey = making.idempotencyKey ?? randomUUID()
  const view = <NewBundlePage from={from} idempotencyKey={idempotencyKey} state={state} />
  return { section: 'bundles', title: from === null ? 'New bundle' : 'Duplicate', view, problem: making.problem }
}
