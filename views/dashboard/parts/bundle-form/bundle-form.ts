import type { ProposedChanges } from '../../../../db/schema.ts'
import type { ScalarName } from '../../../../src/bundles/content/content.ts'
import type { SeenLink } from '../../../../src/bundles/links/elsewhere.ts'
import { LINK_NAMES, type Link, linkField, textsOf, wholeLink } from '../../../../src/bundles/links/link-fields.ts'
import type { Said } from '../../../../src/bundles/list/found.ts'
import type { Offer } from '../../../../src/bundles/variables/placeholders.ts'
import { VARIABLE_LABELS, type WholeVariable } from '../../../../src/bundles/variables/variables.ts'
import { fingerprint } from '../../../../src/core/secrets.ts'
import type { FoundList } from '../../../../src/imports/plan.ts'
import type { NamesInLinks } from '../../../parts/names-in-links.tsx'

/** A row of the form. */
interface Row {
  /** Its permanent number, which moves with it; `''` for a new row. */
  row: string
}

/** A link as typed (`textsOf`), with its tags separated by commas. */
export interface LinkFields extends Record<keyof Link, string>, Row {
  /** A typed new name for the section that begins with it; missing if unchanged. */
  heading?: string | undefined
  /** Remarks from parsing it in a text; missing for none. */
  said?: readonly Said[] | undefined
}

/** A row that was removed from the form, and can be restored until the page is left. */
export interface Removed<Fields> {
  /** How many rows of the form are above it. */
  at: number
  fields: Fields
}

/** The row of a link without a number. */
export const linkRow = (link: Link): LinkFields => ({ ...textsOf(link), row: '' })

/** An empty row. */
export const NEW_LINK: LinkFields = linkRow(wholeLink(''))

/** The fields for typed text; not the section, which a new link takes from its neighbour. */
const TYPED = LINK_NAMES.filter((name) => name !== 'section' && ['text', 'tags'].includes(linkField(name).kind))

/** Whether a row is empty, and so is not saved. */
export function isEmptyLink(link: LinkFields): boolean {
  return [link.url, ...TYPED.map((name) => link[name])].every((text) => text.trim() === '')
}

/** A variable as typed, with its options one per line. */
export interface VariableFields extends Record<keyof WholeVariable, string>, Row {
  /** Its name in the version from which the form started, by which rules refer to it; empty for a new one. */
  was: string
  /** The name by which the form’s links and texts refer to it. */
  placed: string
  /** The name in the links that declared it: if only that is known of it, it goes with them. Empty for other rows. */
  found: string
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
  found: '',
  row: '',
}

/** The editable fields of a variable. */
export const VARIABLE_FIELDS = Object.keys(VARIABLE_LABELS) as (keyof WholeVariable)[]

/** The name of a variable’s field in the form, like its path in the API. */
export function variableColumn(name: keyof VariableFields | 'removed'): string {
  return `variables.${name}`
}

/** The fields that only the owner edits, as typed. */
export interface OwnForm {
  externalId: string
  /** Its rows; empty rows are not saved. */
  metadata: MetadataRow[]
  /** The slugs, separated by spaces. */
  aliases: string
  /** The initial values, to detect changes. */
  was: string
}

/** The names of these fields in the form. */
export const OWN_NAMES = {
  externalId: 'externalId',
  aliases: 'aliases',
  key: 'metadata.key',
  value: 'metadata.value',
  was: 'own.was',
} as const

/** A metadata key with its text. */
export interface MetadataRow {
  key: string
  value: string
}

/** A bundle's form as typed. */
export interface BundleForm extends Record<ScalarName, string> {
  /** As typed; never shown again. */
  password: string
  /** The chosen end of its link; empty where nobody can choose it. */
  slug: string
  links: LinkFields[]
  variables: VariableFields[]
  /** Names in braces that stay text: they were saved as text, or somebody chose so. */
  plain: readonly string[]
  removed: { links: Removed<LinkFields>[]; variables: Removed<VariableFields>[] }
  /** Null where they are not edited: nobody may propose them, and a copy has none. */
  own: OwnForm | null
  /** The saved rules, which have a separate page. */
  rules: NonNullable<ProposedChanges['resolutionPolicy']> | null
}

/** The number of the next new row. */
export function nextRow(rows: readonly Row[], removed: readonly Removed<Row>[]): number {
  return 1 + Math.max(0, ...[...rows, ...removed.map(({ fields }) => fields)].map(({ row }) => Number(row)))
}

/**
 * Prefixes of row fields: a new name for the section that begins with the row, its old name, remarks about the link, and another
 * bundle that contains it.
 */
export const ROW_FIELDS = { heading: 'heading-', headingWas: 'heading.was-', said: 'said-', seen: 'seen-' } as const

/** A removed row as the value of one field. */
export function removedText(fields: Row): string {
  return new URLSearchParams(Object.entries(fields).filter(([, text]) => typeof text === 'string')).toString()
}

/** The names of a form’s variables, as typed. */
export function namesOf({ variables }: Pick<BundleForm, 'variables'>): string[] {
  return variables.map(({ name }) => name.trim())
}

/** One of the fields that only the owner edits, or one row of metadata. */
export type OwnField = 'externalId' | 'aliases' | 'metadata' | `metadata.${number}`

/** An error of one field; `link` or `variable` is the index of its row. */
export interface FormError {
  link: number | null
  variable?: number
  field: ScalarName | OwnField | 'slug' | 'password' | keyof LinkFields | keyof WholeVariable
  says: string
  /** A hint, which does not prevent saving. */
  isHint?: true
}

/** The result of checking a form; shown with it, and updated during editing. */
export interface Checked {
  /** How many links would be saved. */
  count: number
  errors: FormError[]
  /** An error of the whole list. */
  list: string | null
  /** An error without a field. */
  form: string | null
  variables: VariablesFound
  /** Whether the chosen end of its link is known to be free. */
  isSlugFree?: boolean
}

/** Derived facts about a form’s variables. */
export interface VariablesFound {
  /** Where each is used, in words. */
  uses: string[]
  /** The values in the preview. */
  examples: string[]
  /** Parts of the links that could become variables, except names in braces; positions are those of the form’s links. */
  offers: Offer[]
  /** What becomes of the names in braces in the links. */
  names: NamesInLinks
}

/** A form during editing: its input, errors and focus. */
export interface EditorState {
  form: BundleForm
  checked: Checked
  /** The pasted text that has become links of the form. */
  pasted: FoundList | null
  /** Whether it has unsaved input. */
  isTouched: boolean
  focus: Focus | null
  /** The result of a button, for screen readers; empty for none. */
  announcement: string
  /** The unsaved changes in words; empty for none, or if unknown. */
  changes: string
  /** Whether the answer is only the form, for the page that sent it: after a button, or a pause in typing. */
  step: 'pressed' | 'checked' | null
  /** The parts of the form that the page already has. */
  has: ReadonlySet<string>
  /** Which of its links other bundles contain; null if that was not looked up for these links, or not in time. */
  seen: readonly SeenLink[] | null
}

/** The field that tells for which links other bundles were looked up. */
export const ASKED = 'asked'

/** The addresses in a form. */
export function urlsOf({ links }: Pick<BundleForm, 'links'>): string[] {
  return links.map(({ url }) => url.trim()).filter((url) => url !== '')
}

/** The value of `ASKED`: equal for equal addresses in any order; empty without a lookup. */
export function askedOf({ form, seen }: Pick<EditorState, 'seen'> & { form: Pick<BundleForm, 'links'> }): string {
  return seen === null ? '' : fingerprint(JSON.stringify(urlsOf(form).toSorted()))
}

/**
 * The focus: a field or button of a link or variable, by its index; the button that changes a name in braces; the button that
 * restores a removed row, by its number; the paste field; or a row of metadata.
 */
export type Focus =
  | { paste: true }
  | { link: number; on: 'line' | 'url' | 'section' | 'up' | 'down' }
  | { variable: number; on: 'name' | 'label' | 'add' }
  | { name: string }
  | { removed: string }
  | { entry: number }
