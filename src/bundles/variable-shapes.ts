import { type Type, type } from 'arktype'
import type { Variable as StoredVariable } from '../../db/schema.ts'
import { refuse, refusing } from '../core/shape.ts'
import { line, withText } from '../core/text-shapes.ts'
import { BOUNDS } from './bounds.ts'
import { isVariableName, VARIABLE_NAME, variableOf, wholeVariable } from './variables.ts'

const VariableName = type('string').narrow(
  refusing({ pattern: VARIABLE_NAME.source }, (name: string) => {
    if (isVariableName(name)) return null
    return { code: VARIABLE_NAME.test(name) ? 'reserved_name' : 'not_a_variable_name' }
  }),
)

const value = (max: number) => line(max).narrow(withText)

/** A variable: what whoever opens the launcher fills in. */
export const Variable = type({
  name: VariableName,
  'label?': line(BOUNDS.variableLabel).narrow(withText),
  'example?': value(BOUNDS.variableExample),
  'default?': value(BOUNDS.variableDefault),
  'options?': value(BOUNDS.option).array().atLeastLength(1).atMostLength(BOUNDS.options),
  '+': 'reject',
})
  .narrow((variable, ctx) => {
    // As it is stored, without the space around values.
    const { options, ...values } = variableOf(wholeVariable(variable))
    if (options === undefined) return true
    const twice = options.findIndex((option, at) => options.indexOf(option) !== at)
    if (twice !== -1) return refuse(ctx, { code: 'listed_twice' }, 'options', twice)
    for (const name of ['default', 'example'] as const) {
      const given = values[name]
      if (given !== undefined && !options.includes(given)) return refuse(ctx, { code: 'not_an_option' }, name)
    }
    return true
  })
  .configure({ named: 'Variable' }, 'self') as unknown as Type<StoredVariable>

/** All variables of a bundle. */
export const Variables = Variable.array()
  .atMostLength(BOUNDS.variables)
  .narrow((list, ctx) => {
    const names = list.map(({ name }) => name)
    const twice = names.findIndex((name, at) => names.indexOf(name) !== at)
    const first = names.indexOf(names[twice] ?? '')
    return twice === -1 || refuse(ctx, { code: 'variable_named_twice', variable: first }, twice, 'name')
  })
