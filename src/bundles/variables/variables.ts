import type { Variable } from '../../../db/schema.ts'
import { withDates } from '../../core/dates.js'
import { isReserved } from '../../core/launcher-link.ts'
import { type Filling, NAME, piecesOf } from '../../core/template.js'
import { asSentence } from '../../core/words.ts'

// The command loads this, so it must not import server code.

/** A variable with all its fields; unset ones are empty. */
export type WholeVariable = Required<Variable>

/** The labels of a variable’s fields. */
export const VARIABLE_LABELS = {
  name: 'Name',
  label: 'Label',
  example: 'Example',
  default: 'Default',
  options: 'Options',
} as const satisfies Record<keyof WholeVariable, string>

/** A stored variable with all its fields; those not stored are empty. */
export function wholeVariable({ name, label = '', example = '', default: value = '', options = [] }: Variable) {
  return { name, label, example, default: value, options } satisfies WholeVariable
}

/** A variable as stored: only non-empty fields, without surrounding space. */
export function variableOf({ name, ...fields }: WholeVariable): Variable {
  const [label, example, value] = [fields.label, fields.example, fields.default].map((text) => text.trim())
  const options = fields.options.map((option) => option.trim()).filter((option) => option !== '')
  return {
    name: name.trim(),
    ...(label ? { label } : {}),
    ...(example ? { example } : {}),
    ...(value ? { default: value } : {}),
    ...(options.length === 0 ? {} : { options }),
  }
}

/** The name of a variable for people; without a label, `order_id` is “Order id”. */
export function labelOf({ name, label }: Pick<Variable, 'name' | 'label'>): string {
  return label ?? asSentence(name.replaceAll('_', ' ').trim())
}

/** A sample value for a variable that has none yet; null if only its name is known. */
export function exampleOf(variable: Variable | undefined): string | null {
  if (variable === undefined) return null
  const [dated] = withDates([variable], null)
  return variable.example ?? dated?.default ?? variable.options?.[0] ?? null
}

export const VARIABLE_NAME = new RegExp(`^${NAME}$`)

/** Whether a variable can have this name. */
export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name) && !isReserved(name)
}

/** A text with an ellipsis in place of each placeholder. */
export function blanked(text: string, names: readonly string[]): string {
  return piecesOf(text, names)
    .map((piece, at) => (at % 2 === 1 ? '…' : piece))
    .join('')
}

/** Completions of a partly typed `name=value`: names with `=`, or after a name the options of its variable. */
export function completionsOf(typed: string, variables: readonly Pick<Variable, 'name' | 'options'>[]): string[] {
  return variables
    .flatMap(({ name, options = [] }) =>
      typed.startsWith(`${name}=`) ? options.map((option) => `${name}=${option}`) : [`${name}=`],
    )
    .filter((one) => one.startsWith(typed))
}

/** The values of variables for rules: null for a variable without a usable value. */
export function valuesIn({ values, missing, invalid }: Filling): ReadonlyMap<string, string | null> {
  const none = [...missing, ...invalid.map(({ name }) => name)]
  return new Map([...Object.entries(values), ...none.map((name) => [name, null] as const)])
}
