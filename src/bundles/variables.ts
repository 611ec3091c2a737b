import type { Variable } from '../../db/schema.ts'
import { isReserved } from '../core/launcher-link.ts'
import { type Filling, NAME, piecesOf } from '../core/template.js'

// The command loads this, so it must not import server code.

/** A variable with all its fields, unset ones being empty. */
export type WholeVariable = Required<Variable>

/** What each field of a variable is called. */
export const VARIABLE_LABELS = {
  name: 'Name',
  label: 'Label',
  example: 'Example',
  default: 'Default',
  options: 'Options',
} as const satisfies Record<keyof WholeVariable, string>

/** A stored variable with everything that is not stored with it. */
export function wholeVariable({ name, label = '', example = '', default: value = '', options = [] }: Variable) {
  return { name, label, example, default: value, options } satisfies WholeVariable
}

/** What is stored of a variable: everything that is not empty. Surrounding space is no part of a value. */
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

/** What people call a variable. */
export function labelOf({ name, label }: Pick<Variable, 'name' | 'label'>): string {
  return label ?? name
}

/** A value by which to show a variable before somebody gives one; null if there is none but its name. */
export function exampleOf(variable: Variable | undefined): string | null {
  return variable?.example ?? variable?.default ?? variable?.options?.[0] ?? null
}

export const VARIABLE_NAME = new RegExp(`^${NAME}$`)

/** Whether a variable could have this name. */
export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name) && !isReserved(name)
}

/** A text with an ellipsis in place of what somebody will fill in. */
export function blanked(text: string, names: readonly string[]): string {
  return piecesOf(text, names)
    .map((piece, at) => (at % 2 === 1 ? '…' : piece))
    .join('')
}

/** What `name=value`, as far as it is typed, may become: each name with `=`, or with a name the options of its variable. */
export function completionsOf(typed: string, variables: readonly Pick<Variable, 'name' | 'options'>[]): string[] {
  return variables
    .flatMap(({ name, options = [] }) =>
      typed.startsWith(`${name}=`) ? options.map((option) => `${name}=${option}`) : [`${name}=`],
    )
    .filter((one) => one.startsWith(typed))
}

/** What rules read of the variables: null for one without a value that can be used. */
export function valuesIn({ values, missing, invalid }: Filling): ReadonlyMap<string, string | null> {
  const none = [...missing, ...invalid.map(({ name }) => name)]
  return new Map([...Object.entries(values), ...none.map((name) => [name, null] as const)])
}
