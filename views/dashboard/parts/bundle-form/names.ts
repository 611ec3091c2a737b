import type { Variable } from '../../../../db/schema.ts'
import { ABOUT_NAMES, BOUNDS, each } from '../../../../src/bundles/content/content.ts'
import { withTexts } from '../../../../src/bundles/links/link-fields.ts'
import {
  declarationsIn,
  declaredBy,
  type Offer,
  type Templates,
  taken,
} from '../../../../src/bundles/variables/placeholders.ts'
import type { NamesInLinks } from '../../../parts/names-in-links.tsx'
import { type BundleForm, NEW_VARIABLE, namesOf, nextRow, VARIABLE_FIELDS, type VariableFields } from './bundle-form.ts'

// Names in braces in the links of a form. A name that is typed or pasted declares its variable at once; one that was saved as text,
// and one that somebody keeps as text, stays text. The form carries those names, so that it behaves the same without its script.

/** The field with the names that stay text. */
export const PLAIN = 'plain'

/** The names in braces that a saved bundle has as text. */
export function plainNames(urls: readonly string[], variables: readonly Variable[]): string[] {
  return declarationsIn(urls).filter((own) => variables.every(({ name }) => name !== own))
}

/** The names that have a row in the form, or had one: half-typed, renamed and removed rows included. */
function rowNames({ variables, removed }: BundleForm): string[] {
  const rows = [...variables, ...removed.variables.map(({ fields }) => fields)]
  return rows.flatMap(({ name, placed }) => [name.trim(), placed])
}

/** A form whose links declare their names in braces. A row that links declared goes with them, unless more was typed into it. */
export function withDeclared(form: BundleForm, bundle: Templates): BundleForm {
  const found = declarationsIn(bundle.urls)
  const rows = form.variables.filter((row) => !isOnlyFound(row) || found.includes(row.found))
  const kept = new Set([...form.plain, ...rowNames(form)])
  const has = bundle.variables.filter(({ name }) => rows.some((row) => row.name.trim() === name))
  const { variables } = declaredBy(bundle, kept, has)
  const room = Math.max(0, BOUNDS.variables - rows.length)
  // A dropped row's number stays unused: the page would take the new row for it.
  const next = nextRow(form.variables, form.removed.variables)
  const added = variables.slice(0, room).map(({ name }, at) => {
    return { ...NEW_VARIABLE, name, placed: name, found: name, row: String(next + at) }
  })
  return { ...form, variables: [...rows, ...added] }
}

/** Whether nothing is known of a variable but its name in the links. */
function isOnlyFound(row: VariableFields): boolean {
  const others = VARIABLE_FIELDS.filter((field) => field !== 'name')
  return row.found !== '' && row.name.trim() === row.found && others.every((field) => row[field].trim() === '')
}

/** What becomes of the names in braces in the links of a form. Saved variables need no explanation. */
export function namesFound(form: BundleForm, urls: readonly string[]): NamesInLinks {
  const all = declarationsIn(urls)
  const fresh = namesOf({ variables: form.variables.filter(({ was }) => was === '') })
  const rows = form.variables.flatMap(({ name, placed }) => [name.trim(), placed])
  const text = all.filter((name) => !rows.includes(name))
  const room = Math.max(0, BOUNDS.variables - form.variables.length)
  return {
    declared: all.filter((name) => fresh.includes(name)),
    plain: text.slice(0, room),
    left: text.slice(room),
  }
}

/** Takes an offer: adds the variable, unless there is one with that name. */
export function withOffer(form: BundleForm, offer: Offer): BundleForm {
  const { name } = offer
  const isKnown = form.variables.some((one) => one.name.trim() === name)
  return {
    ...changed(form, (text) => taken(text, offer)),
    variables: isKnown ? form.variables : [...form.variables, { ...NEW_VARIABLE, name, placed: name }],
    plain: form.plain.filter((one) => one !== name),
  }
}

/** Changes every text in the form that may contain placeholders. */
export function changed(form: BundleForm, change: (text: string) => string): BundleForm {
  return {
    ...form,
    ...each(ABOUT_NAMES, (name) => change(form[name])),
    links: form.links.map((link) => ({ ...withTexts(link, change), url: change(link.url) })),
  }
}
