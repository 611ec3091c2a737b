/** @jsxImportSource @kitajs/html */

import { type BundleForm, type EditorState, variableColumn } from '../../../views/dashboard/editor/bundle-form.ts'
import { Check } from '../../../views/dashboard/editor/links.tsx'
import { getBundle } from '../../bundles/operations.ts'
import type { Outcome } from '../parts/screens.tsx'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'
import { contentOf, type FormInput, NEW_FORM, passwordOf, pastedIn, readBundleForm } from './bundle-form.ts'
import { checkedForm } from './checked-form.ts'

export function untouched(form: BundleForm): EditorState {
  return { form, checked: checkedForm(form, null), pasted: null, isTouched: false, focus: null, seen: [] }
}

/** A form with unsaved input. */
export function touched(form: BundleForm): EditorState {
  return { ...untouched(form), isTouched: true }
}

/** The errors of a form while it is being filled in; of that of a bundle, with its rules. */
export async function check(
  visit: Visit,
  sent: URLSearchParams,
  attempt: (input: FormInput) => Promise<void>,
): Promise<Outcome> {
  const { slug } = visit.params
  const hasVariables = sent.has(variableColumn('name'))
  // Rules use variables too.
  const bundle = slug && hasVariables ? await run(visit, getBundle, { slug }) : null
  // What is not sent has no errors.
  const before = { ...NEW_FORM, rules: bundle?.resolutionPolicy ?? null }
  const form = readBundleForm(sent, before, await pastedIn(sent))
  const refused = await resultOrProblem(() => attempt({ ...contentOf(form).content, ...passwordOf(form) }))
  const checked = checkedForm(form, refused ?? null)
  const isStale = refused?.code === 'VERSION_CONFLICT'
  const list = isStale
    ? 'Someone saved this bundle in the meantime. Save yours to compare both.'
    : (checked.list ?? checked.form)
  // An empty form is not an error yet.
  return { part: <Check checked={{ ...checked, list: checked.count === 0 ? null : list }} /> }
}
