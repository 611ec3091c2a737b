import type { Draft } from './draft.ts'
import { type DraftCondition, type DraftGroup, newLeaf } from './draft-conditions.ts'
import type { Edit, Edited } from './editing.ts'

/** The buttons of conditions and groups. */
export const CONDITION_EDITS: Record<string, Edit> = {
  // Adding to a single condition wraps both in a group.
  'if.add': ({ draft }, [path = '']) => atCondition(draft, path, (found) => addPart(found, path, newLeaf())),
  'if.group': ({ draft }, [path = '']) =>
    atCondition(draft, path, (found) => addPart(found, path, { op: 'or', of: [newLeaf()] })),
  'if.nest': ({ draft }, [path = '']) =>
    atCondition(draft, path, (found) => {
      wrapped(found, 'and')
      return { focus: `${path}.op`, announcement: 'Put into a group' }
    }),
  'if.lift': ({ draft }, [path = '']) =>
    atCondition(draft, path, ({ condition, replace }) => {
      if (!('of' in condition)) return {}
      replace(...condition.of)
      return { focus: partField(path, condition.of[0]), announcement: 'Group removed, its conditions kept' }
    }),
  'if.remove': ({ draft }, [path = '']) =>
    atCondition(draft, path, ({ replace }) => {
      replace()
      const parent = path.replace(/\.of\.\d+$/, '')
      return { focus: parent === path ? `${path}.subject` : `${parent}.add`, announcement: 'Condition removed' }
    }),
}

interface Found {
  condition: DraftCondition
  /** Replaces a condition. A group left empty is removed too, and a rule left empty gets a blank condition. */
  replace(...others: DraftCondition[]): void
}

function addPart(found: Found, path: string, part: DraftCondition): Partial<Edited> {
  const { condition } = found
  const [only] = 'of' in condition && condition.op === 'not' ? condition.of : []
  // `not` takes one condition, so several are put into one group.
  if (only !== undefined) {
    const inner: Found = {
      condition: only,
      replace: (...others) => (condition as DraftGroup).of.splice(0, 1, ...others),
    }
    const isAny = 'of' in only && only.op === 'or'
    return addPart(isAny ? inner : { ...inner, condition: wrapped(inner, 'or') }, `${path}.of.0`, part)
  }
  const group = 'of' in condition ? condition : wrapped(found, 'and')
  group.of.push(part)
  const announcement = 'of' in part ? 'Group added' : 'Condition added'
  return { focus: partField(`${path}.of.${group.of.length - 1}`, part), announcement }
}

function wrapped({ condition, replace }: Found, op: DraftGroup['op']): DraftGroup {
  const group: DraftGroup = { op, of: [condition] }
  replace(group)
  return group
}

function partField(path: string, part: DraftCondition | undefined): string {
  return part !== undefined && 'of' in part ? `${path}.of.0.subject` : `${path}.subject`
}

function atCondition(draft: Draft, path: string, change: (found: Found) => Partial<Edited>) {
  const [, rulePlace, rest = ''] = /^rules\.(\d+)\.when((?:\.of\.\d+)*)$/.exec(path) ?? []
  const rule = draft.rules[Number(rulePlace)]
  if (rule === undefined || 'json' in rule) return
  let condition = rule.when
  let replace: Found['replace'] = (...others) => {
    rule.when = others.length > 1 ? { op: 'and', of: others } : (others[0] ?? newLeaf())
  }
  for (const place of rest.match(/\d+/g) ?? []) {
    const group: DraftGroup | null = 'of' in condition ? condition : null
    const part = group?.of[Number(place)]
    if (group === null || part === undefined) return
    const removeGroup = replace
    condition = part
    replace = (...others) => {
      group.of.splice(Number(place), 1, ...others)
      if (group.of.length === 0) removeGroup()
    }
  }
  return change({ condition, replace })
}
