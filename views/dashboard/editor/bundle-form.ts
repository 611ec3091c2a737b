import type { ProposedChanges } from '../../../db/schema.ts'
import type { ScalarName } from '../../../src/bundles/content.ts'
import { LINK_NAMES, type Link, linkField } from '../../../src/bundles/link-fields.ts'
import type { Offer } from '../../../src/bundles/placeholders.ts'
import type { SeenLink } from '../../../src/bundles/seen.ts'
import { VARIABLE_LABELS, type WholeVariable } from '../../../src/bundles/variables.ts'
import type { FoundList } from '../../../src/imports/plan.ts'

/** One link as typed (`textsOf`), its tags separated by commas. */
export type LinkFields = Record<keyof Link, string>

/** The fields that people type into; not the section, which a new link has from its neighbour. */
const TYPED = LINK_NAMES.filter((name) => name !== 'section' && ['text', 'tags'].includes(linkField(name).kind))

/** Whether a row was left empty, and so is not saved. */
export function isEmptyLink(link: LinkFields): boolean {
  return [link.url, ...TYPED.map((name) => link[name])].every((text) => text.trim() === '')
}

/** One variable as typed, its options one per line. */
export interface VariableFields extends Record<keyof WholeVariable, string> {
  /** Its name in the version that the form began with, by which rules know it; empty for a new one. */
  was: string
  /** The name by which the form’s links and texts know it. */
  placed: string
}

/** An empty row. */
export const NEW_VARIABLE: VariableFields = {
  name: '',
  label: '',
  example: '',
  default: '',
  options: '',
  was: '',
  placed: '',
}

/** The fields of a variable that people type into. */
export const VARIABLE_FIELDS = Object.keys(VARIABLE_LABELS) as (keyof WholeVariable)[]

/** The name of a variable’s field in the form, like the path in the API. */
export function variableColumn(name: keyof VariableFields): string {
  return `variables.${name}`
}

/** What a bundle has for its owner alone, as typed. */
export interface OwnForm {
  externalId: string
  /** Its rows; an empty one is not saved. */
  metadata: MetadataRow[]
  /** As the form began, by which it is known whether they were touched. */
  was: string
}

/** What their fields are called in the form. */
export const OWN_NAMES = {
  externalId: 'externalId',
  key: 'metadata.key',
  value: 'metadata.value',
  was: 'own.was',
} as const

/** A key and its text. */
export interface MetadataRow {
  key: string
  value: string
}

/** A bundle's form as typed. */
export interface BundleForm extends Record<ScalarName, string> {
  /** As typed; never shown again. */
  password: string
  /** Only for a new bundle. */
  slug: string
  links: LinkFields[]
  variables: VariableFields[]
  /** Null where they are not edited: nobody may propose them, and a copy has none. */
  own: OwnForm | null
  /** The rules as they are saved; they have their own page. */
  rules: NonNullable<ProposedChanges['resolutionPolicy']> | null
}

/** The names of a form’s variables, as typed. */
export function namesOf({ variables }: Pick<BundleForm, 'variables'>): string[] {
  return variables.map(({ name }) => name.trim())
}

/** A field of what is the owner’s alone; of metadata also one row. */
export type OwnField = 'externalId' | 'metadata' | `metadata.${number}`

/** What is wrong with one field; `link` or `variable` is the index of that which it belongs to. */
export interface FormError {
  link: number | null
  variable?: number
  field: ScalarName | OwnField | 'slug' | 'password' | keyof LinkFields | keyof WholeVariable
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
  variables: VariablesFound
}

/** What is known of a form’s variables besides what was typed. */
export interface VariablesFound {
  /** Where each is used, in words. */
  uses: string[]
  /** The values that the preview is filled with. */
  examples: string[]
  /** What in the links could become a variable; their places are those of the form’s links. */
  offers: Offer[]
}

/** A form being edited: its input, errors and focus. */
export interface EditorState {
  form: BundleForm
  checked: Checked
  /** What was pasted and has become links of the form. */
  pasted: FoundList | null
  /** Whether it has unsaved input. */
  isTouched: boolean
  /** What gets the focus: a field or a button of a link or of a variable, by its index, or the field to paste into. */
  focus: Focus | null
  /** Which of its links stand in other bundles, as far as was asked. */
  seen: readonly SeenLink[]
}

export type Focus =
  | { paste: true }
  | { link: number; on: 'url' | 'section' | 'up' | 'down' }
  | { variable: number; on: 'name' | 'label' | 'add' }
  | { entry: number }
