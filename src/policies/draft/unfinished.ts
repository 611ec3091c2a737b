import type { Fact } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import type { Issue, Path } from '../../core/issue.ts'
import { countryCode } from '../countries.ts'
import { definitionOf } from '../facts.ts'
import { type DraftLeaf, kindOf, leavesOf, valuesOf } from './conditions.ts'
import type { Draft } from './draft.ts'

/**
 * What is incomplete in a draft's open rules although the API would accept it: comparisons with nothing, and values
 * that no viewer has. JSON may contain them (lint warns); in a form they are always mistakes.
 */
export function unfinishedIn({ rules }: Draft, variables: readonly Variable[]): Issue[] {
  const leaves = rules.flatMap((rule, at) =>
    'json' in rule ? [] : leavesOf(rule.when, ['resolutionPolicy', 'rules', at, 'when']),
  )
  return leaves.flatMap(([leaf, path]) =>
    leaf.topic === 'query' ? onVariable(leaf, path, variables) : inLeaf(leaf, path),
  )
}

function onVariable({ name, op, value }: DraftLeaf, path: Path, variables: readonly Variable[]): Issue[] {
  const variable = variables.find((known) => known.name === name)
  // An empty value counts as none, which `exists` is about.
  if (variable === undefined || op !== 'equals' || value.trim() !== '') return []
  return [{ path: [...path, 'value'], reason: { code: variable.options === undefined ? 'empty_text' : 'not_chosen' } }]
}

function inLeaf({ topic, op, value }: DraftLeaf, path: Path): Issue[] {
  if (topic === '' || kindOf(topic) !== 'field') return []
  if (op !== 'equals' && op !== 'in') return []
  const fact = topic as Fact
  const isList = op === 'in'
  const place = [...path, isList ? 'values' : 'value']
  const hasChoices = fact === 'country' || definitionOf(fact)?.values !== undefined
  if (!isList && value.trim() === '')
    return [{ path: place, reason: { code: hasChoices ? 'not_chosen' : 'empty_text' } }]
  const unknown = (isList ? valuesOf(value) : [value]).find((one) => !isKnown(fact, one))
  if (unknown === undefined) return []
  const found = { value: unknown, isListed: isList }
  if (fact === 'country') return [{ path: place, reason: { code: 'no_country', ...found } }]
  return [{ path: place, reason: { code: 'no_such_value', values: definitionOf(fact)?.values ?? [], ...found } }]
}

function isKnown(fact: Fact, value: string): boolean {
  if (fact === 'country') return countryCode(value) !== null
  const { values } = definitionOf(fact) ?? {}
  return values === undefined || values.includes(value.toLowerCase())
}
