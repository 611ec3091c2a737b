import { isDeepStrictEqual } from 'node:util'
import { type } from 'arktype'
import { canOpen, type Draft, draftOf, toPolicy } from '../../policies/draft/draft.ts'
import { Policy, type SentPolicy } from '../../policies/shapes.ts'
import type { SentRules } from './form.ts'
import { readPolicyJson } from './json.ts'

/** The edited rules: a draft of the builder, or JSON text. */
export type Source = NonNullable<SentRules['source']>

/** The builder's draft of JSON text; null if fields could not hold all of it. */
export function fromJson(text: string): { draft: Draft } | null {
  const read = readPolicyJson(text)
  if (!('value' in read)) return null
  const policy = canonical(read.value)
  const draft = draftOf(policy ?? read.value)
  if (policy !== null || read.value === null) return { draft }
  return isDeepStrictEqual(toPolicy(draft), read.value) && draft.rules.every(canOpen) ? { draft } : null
}

/** A policy in its canonical form; null if it is invalid. */
export function canonical(json: unknown): SentPolicy | null {
  const policy = Policy(json)
  return policy instanceof type.errors ? null : policy
}

/** The policy of the edited rules, null if there are none; `wrong` if the text is not JSON. */
export function policyOf(source: Source): { policy: unknown } | { wrong: string } {
  if ('draft' in source) return { policy: source.draft.rules.length === 0 ? null : toPolicy(source.draft) }
  const read = readPolicyJson(source.json)
  return 'wrong' in read ? read : { policy: read.value }
}
