import type { Variable } from '../../../db/schema.ts'
import type { ScalarName } from '../../../src/bundles/content.ts'
import { LINK_NAMES, type Link, linkField } from '../../../src/bundles/link-fields.ts'
import type { FoundList } from '../../../src/imports/plan.ts'

/** One link as typed (`textsOf`), its tags separated by commas. */
export type LinkFields = Record<keyof Link, string>

/** The fields that people type into; not the section, which a new link has from its neighbour. */
const TYPED = LINK_NAMES.filter((name) => name !== 'section' && ['text', 'tags'].includes(linkField(name).kind))

/** Whether a row was left empty, and so is not saved. */
export function isEmptyLink(link: LinkFields): boolean {
  return [link.url, ...TYPED.map((name) => link[name])].every((text) => text.trim() === '')
}

/** A bundle's form as typed. */
export interface BundleForm extends Record<ScalarName, string> {
  /** As typed; never shown again. */
  password: string
  /** Only for a new bundle. */
  slug: string
  links: LinkFields[]
  variables: Variable[]
}

/** What is wrong with one field; `link` is the index of the link that it belongs to. */
export interface FormError {
  link: number | null
  field: ScalarName | 'slug' | 'password' | keyof LinkFields
  says: string
  /** Worth knowing, and no reason to refuse the form. */
  isHint?: true
}

/** The result of checking a form, shown with it and updated while it is edited. */
export interface Checked {
  /** How many links would be saved. */
  count: number
  errors: FormError[]
  /** An error of the list as a whole. */
  list: string | null
  /** An error of no field. */
  form: string | null
}

/** A form being edited: its input, errors and focus. */
export interface EditorState {
  form: BundleForm
  checked: Checked
  /** What was pasted and has become links of the form. */
  pasted: FoundList | null
  /** Whether it has unsaved input. */
  isTouched: boolean
  /** The index of the link whose field or button gets the focus. */
  focus: { link: number; on: 'url' | 'up' | 'down' } | null
}
