import type { Fact } from '../../../db/policy.ts'
import type { Issue } from '../../core/issue.ts'
import { countryCode } from '../../policies/countries.ts'
import { definitionOf } from '../../policies/facts.ts'
import type { Draft } from './draft.ts'
import { type DraftCondition, type DraftLeaf, kindOf } from './draft-conditions.ts'
import { valuesOf } from './lines.ts'

type Path = (string | number)[]

/**
 * What is incomplete in a draft's open rules although the API would accept it: comparisons with nothing, and values
 * that no viewer has. JSON may contain them (lint warns); in a form they are always mistakes.
 */
export function unfinishedIn({ rules }: Draft): Issue[] {
  return rules.flatMap((rule, at) =>
    'json' in rule ? [] : inCondition(rule.when, ['resolutionPolicy', 'rules', at, 'when']),
  )
}

function inCondition(condition: DraftCondition, path: Path): Issue[] {
  if ('of' in condition) return condition.of.flatMap((part, at) => inCondition(part, [...path, 'of', at]))
  return inLeaf(condition, path)
}

function inLeaf({ subject, op, value }: DraftLeaf, path: Path): Issue[] {
  if (subject === '' || subject === 'query' || kindOf(subject) !== 'field') return []
  if (op !== 'equals' && op !== 'in') return []
  const fact = subject as Fact
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
