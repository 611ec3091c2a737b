import type { Variable } from '../../../db/schema.ts'
import {
  type BundleForm,
  NEW_VARIABLE,
  namesOf,
  VARIABLE_FIELDS,
  type VariableFields,
} from '../../../views/dashboard/editor/bundle-form.ts'
import { ABOUT_NAMES, each } from '../../bundles/content.ts'
import { withTexts } from '../../bundles/link-texts.ts'
import { type Offer, type Renames, renamed, renamedRules, taken } from '../../bundles/placeholders.ts'
import { isVariableName, variableOf, wholeVariable } from '../../bundles/variables.ts'

// The variables of the editor's form.

/** A saved variable in the form. */
export function variableFields(variable: Variable): VariableFields {
  const { options, ...texts } = wholeVariable(variable)
  return { ...texts, options: options.join('\n'), was: variable.name, placed: variable.name }
}

/** The same form, in which links and texts know each variable by its name as typed. */
export function placed(form: BundleForm): BundleForm {
  const { variables } = form
  const names = namesOf(form)
  const isFit = (name: string) => isVariableName(name) && names.indexOf(name) === names.lastIndexOf(name)
  const isLeft = (place: string) => variables.every((one) => one.placed !== place || isFit(one.name.trim()))
  const renames = new Map(
    variables.flatMap((one): [string, string][] => {
      const name = one.name.trim()
      return one.placed === '' || one.placed === name || !isFit(name) || !isLeft(name) ? [] : [[one.placed, name]]
    }),
  )
  return {
    ...changed(form, (text) => renamed(text, renames)),
    variables: variables.map((one) => {
      const name = one.name.trim()
      const place = one.placed === '' ? (isFit(name) ? name : '') : (renames.get(one.placed) ?? one.placed)
      return { ...one, placed: place }
    }),
  }
}

/** The same form with an offer taken: a variable more, unless there is one of that name. */
export function withOffer(form: BundleForm, offer: Offer): BundleForm {
  const { name } = offer
  const isKnown = form.variables.some((one) => one.name.trim() === name)
  return {
    ...changed(form, (text) => taken(text, offer)),
    variables: isKnown ? form.variables : [...form.variables, { ...NEW_VARIABLE, name, placed: name }],
  }
}

/** The same form with every text changed that may hold placeholders. */
function changed(form: BundleForm, change: (text: string) => string): BundleForm {
  return {
    ...form,
    ...each(ABOUT_NAMES, (name) => change(form[name])),
    links: form.links.map((link) => ({ ...withTexts(link, change), url: change(link.url) })),
  }
}

/** The variables of a form as they are saved, and for each the row it came from; empty rows are left out. */
export function variablesOf({ variables }: Pick<BundleForm, 'variables'>) {
  const read = variables.flatMap((fields, row) =>
    VARIABLE_FIELDS.every((name) => fields[name].trim() === '')
      ? []
      : [{ row, variable: variableOf({ ...fields, options: fields.options.split('\n') }) }],
  )
  return { variables: read.map(({ variable }) => variable), rowOf: read.map(({ row }) => row) }
}

/** The rules, if they know a variable by another name than the form gives it. */
export function rulesOf({ variables, rules }: Pick<BundleForm, 'variables' | 'rules'>) {
  const renames: Renames = new Map(
    variables.filter(({ name, was }) => was !== '' && was !== name.trim()).map(({ name, was }) => [was, name.trim()]),
  )
  if (rules === null || renames.size === 0) return {}
  const resolutionPolicy = renamedRules(rules, renames)
  return JSON.stringify(resolutionPolicy) === JSON.stringify(rules) ? {} : { resolutionPolicy }
}
