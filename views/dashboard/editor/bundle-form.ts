import type { TextName } from '../../../src/bundles/content.ts'
import type { Link } from '../../../src/bundles/diff.ts'
import type { FoundList } from '../../../src/imports/import.ts'

/** One link as it was typed, its tags between commas. */
export type LinkFields = Record<keyof Link, string> & Pick<Link, 'openPolicy'>

/** A bundle's form as it was typed. */
export interface BundleForm extends Record<TextName, string> {
  /** Of a new bundle only. */
  slug: string
  links: LinkFields[]
}

/** What is wrong with one field; `link` is the index of the link that it belongs to. */
export interface FormError {
  link: number | null
  field: TextName | 'slug' | keyof LinkFields
  says: string
  /** Worth knowing, and no reason to refuse the form. */
  isHint?: true
}

/** What was found about a form: shown with it, and again while it is typed in. */
export interface Checked {
  /** How many links would be saved. */
  count: number
  errors: FormError[]
  /** What is wrong with the list as a whole. */
  list: string | null
  /** What no field is to blame for. */
  form: string | null
}

/** A form on its way: what was typed, what is wrong with it, and where to go on. */
export interface EditorState {
  form: BundleForm
  checked: Checked
  /** What was pasted and has become links of the form. */
  pasted: FoundList | null
  /** What was typed is not saved yet. */
  isTouched: boolean
  /** The link, by index, whose field is to be typed in next, or whose button pressed. */
  focus: { link: number; on: 'url' | 'up' | 'down' } | null
}
