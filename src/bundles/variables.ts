import type { Content, Variable } from '../../db/schema.ts'
import type { Issue } from '../core/issue.ts'
import { everyLink, type Linking } from '../core/links.ts'
import { checkLinks, type Filling, isFixed, NAME, namesIn, piecesOf, readValues } from '../core/template.js'

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

/** Names that addresses of launchers give another meaning. */
const RESERVED = /^(?:lang|format|client|utm_.*)$/
export const VARIABLE_NAME = new RegExp(`^${NAME}$`)

/** Whether a variable could have this name. */
export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name) && !RESERVED.test(name)
}

/** A bundle as far as the links go that its variables stand in. */
export type Templates = Linking & Pick<Content, 'variables'>

/** What is wrong with the placeholders of a bundle’s links. A name that is not declared is text, wherever it stands. */
export function unfitTemplates(bundle: Templates): Issue[] {
  const { variables } = bundle
  if (variables.length === 0) return []
  const names = variables.map(({ name }) => name)
  const links = everyLink(bundle).filter(({ url }) => url.includes('{'))
  const moving = links.filter(({ url }) => !isFixed(url, names))
  if (moving.length > 0) {
    return moving.map(({ url, path }) => {
      const [name = ''] = namesIn(url, names).filter((one) => !isFixed(url, [one]))
      return { path, reason: { code: 'placeholder_before_path', name } }
    })
  }
  return variables.flatMap(({ name, default: value }, at) => {
    if (value === undefined) return []
    const own = links.map(({ url }) => url).filter((url) => namesIn(url, [name]).length > 0)
    const { invalid } = checkLinks(
      readValues([{ name }], () => value),
      own,
    )
    return invalid.length === 0 ? [] : [{ path: ['variables', at, 'default'], reason: { code: 'leads_elsewhere' } }]
  })
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
