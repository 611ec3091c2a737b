import type { Condition, Leaf } from '../../db/policy.ts'

// The conditions of a tree that contain no others.

export function leavesOf(condition: Condition): Leaf[] {
  return 'of' in condition ? condition.of.flatMap(leavesOf) : [condition]
}

export function withLeaves(condition: Condition, change: (leaf: Leaf) => Leaf): Condition {
  if (!('of' in condition)) return change(condition)
  return { ...condition, of: condition.of.map((part) => withLeaves(part, change)) }
}
