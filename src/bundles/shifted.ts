import type { Leaf, Policy } from '../../db/policy.ts'
import type { Content } from '../../db/schema.ts'
import { invalid } from '../core/problem.ts'
import { daysAfter } from '../policies/instants.ts'
import { withLeaves } from '../policies/leaves.ts'
import { each, TIME_NAMES } from './content.ts'

/**
 * Content whose times, those in its rules included, are some days later on the calendar of a zone. Times of the week stay.
 * @throws Problem BAD_REQUEST for a time that this moves out of the years that bundles know.
 */
export function shifted(content: Content, days: number, timeZone: string): Content {
  const move = (instant: string) => moved(instant, days, timeZone)
  const { resolutionPolicy } = content
  return {
    ...content,
    ...each(TIME_NAMES, (name) => content[name] && move(content[name])),
    resolutionPolicy: resolutionPolicy && movedRules(resolutionPolicy, move),
  }
}

const [FIRST, LAST] = [Date.parse('1970-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

function moved(instant: string, days: number, timeZone: string): string {
  const at = daysAfter(instant, days, timeZone)
  if (at >= FIRST && at <= LAST) return new Date(at).toISOString()
  throw invalid([{ path: ['shiftDays'], reason: { code: 'shifted_too_far' } }])
}

function movedRules(policy: Policy, move: (instant: string) => string): Policy {
  return {
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, when: withLeaves(rule.when, (leaf) => movedLeaf(leaf, move)) })),
  }
}

function movedLeaf(leaf: Leaf, move: (instant: string) => string): Leaf {
  const isInstant = leaf.op === 'before' || leaf.op === 'after'
  return isInstant ? { ...leaf, value: move(leaf.value) } : leaf
}
