/** @jsxImportSource @kitajs/html */

import type { BundleForm, EditorState } from '../../../views/dashboard/editor/bundle-form.ts'
import { Check } from '../../../views/dashboard/editor/links.tsx'
import type { Outcome } from '../parts/screens.tsx'
import { resultOrProblem } from '../parts/visit.ts'
import { checkedForm, contentOf, type FormInput, NEW_FORM, passwordOf, readBundleForm } from './bundle-form.ts'

/** An untouched form. */
export function untouched(form: BundleForm): EditorState {
  return { form, checked: checkedForm(form, null), pasted: null, isTouched: false, focus: null }
}

/** A form with unsaved input. */
export function touched(form: BundleForm): EditorState {
  return { ...untouched(form), isTouched: true }
}

/** The errors of a form while it is being filled in. */
export async function check(sent: URLSearchParams, attempt: (input: FormInput) => Promise<void>): Promise<Outcome> {
  // What is not sent has no errors.
  const form = readBundleForm(sent, NEW_FORM)
  const refused = await resultOrProblem(() => attempt({ ...contentOf(form).content, ...passwordOf(form) }))
  const checked = checkedForm(form, refused ?? null)
  const isStale = refused?.code === 'VERSION_CONFLICT'
  const list = isStale
    ? 'Someone saved this bundle in the meantime. Save yours to compare both.'
    : (checked.list ?? checked.form)
  // An empty form is not an error yet.
  return { part: <Check checked={{ ...checked, list: checked.count === 0 ? null : list }} /> }
}
