import { isDeepStrictEqual } from 'node:util'
import { type } from 'arktype'
import { Policy, type SentPolicy } from '../../policies/shapes.ts'
import { canOpen, type Draft, draftOf, written } from './draft.ts'
import type { SentRules } from './form.ts'
import { readPolicyJson } from './json.ts'

/** What the rules are written as: a draft of the builder, or a text of JSON. */
export type Source = NonNullable<SentRules['source']>

/** The builder's rules of a text of JSON; null where fields could not hold all that it says. */
export function fromJson(text: string): { draft: Draft } | null {
  const read = readPolicyJson(text)
  if (!('value' in read)) return null
  const policy = canonical(read.value)
  const draft = draftOf(policy ?? read.value)
  if (policy !== null || read.value === null) return { draft }
  return isDeepStrictEqual(written(draft), read.value) && draft.rules.every(canOpen) ? { draft } : null
}

/** A policy in its canonical form; null for what is none. */
export function canonical(json: unknown): SentPolicy | null {
  const policy = Policy(json)
  return policy instanceof type.errors ? null : policy
}

/** The policy that is written; `wrong` where its text is no JSON. Without rules there is none. */
export function policyOf(source: Source): { policy: unknown } | { wrong: string } {
  if ('draft' in source) return { policy: source.draft.rules.length === 0 ? null : written(source.draft) }
  const read = readPolicyJson(source.json)
  return 'wrong' in read ? read : { policy: read.value }
}
