import { LRUCache } from 'lru-cache'
import type { Condition, Field, Rule } from '../../db/policy.ts'
import { leavesOf } from './leaves.ts'
import type { Viewer } from './viewer.ts'

/** There are few kinds of viewers; this keeps a policy's cache below 24 KiB. */
const MAX_KINDS = 64
const MAX_KEY_LENGTH = 300
const MINUTE_MS = 60_000

/**
 * Caches `match` per kind of viewer: equal facts, at times that no condition distinguishes. The cost of a view then
 * hardly grows with the number of rules.
 * @param fields every field that the conditions depend on.
 */
export function memoizeMatch(
  conditions: readonly Condition[],
  fields: readonly Field[],
  match: (viewer: Viewer) => Rule | null,
): (viewer: Viewer) => Rule | null {
  const period = periods(conditions)
  const known = new LRUCache<string, { rule: Rule | null }>({ max: MAX_KINDS })
  return (viewer) => {
    let kind = viewer.signedIn ? period(viewer.now) : `-${period(viewer.now)}`
    for (const field of fields) {
      const fact = viewer.fact(field)
      // Length-prefixed, so that different facts cannot give the same key.
      kind += fact === null ? ';' : `;${fact.length}:${fact}`
    }
    if (kind.length > MAX_KEY_LENGTH) return match(viewer)
    let answer = known.get(kind)
    if (answer === undefined) known.set(kind, (answer = { rule: match(viewer) }))
    return answer.rule
  }
}

/** Identifies a period during which no condition on the time changes its result. */
function periods(conditions: readonly Condition[]): (now: number) => string {
  const leaves = conditions.flatMap(leavesOf)
  const instants = leaves.flatMap((leaf) =>
    leaf.op === 'before' || leaf.op === 'after' ? [Date.parse(leaf.value)] : [],
  )
  const hasWindow = leaves.some(({ op }) => op === 'timeWindow')
  return (now) => {
    let passed = 0
    for (const instant of instants) if (instant <= now) passed += 1
    return `${hasWindow ? Math.floor(now / MINUTE_MS) : ''}.${passed}`
  }
}
