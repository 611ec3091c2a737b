import { POLICY_BOUNDS } from '../../policies/shapes.ts'
import { canOpen, type Draft, type DraftRule, type OpenRule, toOpenRule, toRule } from './draft.ts'
import { type DraftLeaf, newLeaf } from './draft-conditions.ts'
import { atRule, type Edit, type Edited, moved } from './editing.ts'

/** The buttons of rules. */
export const RULE_EDITS: Record<string, Edit> = {
  'rule.add': ({ draft }) => added(draft, { name: '', when: newLeaf() }),
  'rule.start': ({ draft }, [kind = '']) => {
    const start = Object.hasOwn(STARTS, kind) ? STARTS[kind as StartName] : undefined
    return start && added(draft, { name: freeName(draft, start.name), when: { ...newLeaf(), ...start.when } })
  },
  'rule.open': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      if (!canOpen(rule)) return {}
      draft.rules[at] = toOpenRule(rule)
      return { focus: `rules.${at}.name` }
    }),
  'rule.close': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      draft.rules[at] = { json: toRule(rule) }
      return { focus: `rules.${at}.edit` }
    }),
  'rule.up': ({ draft }, [place]) => moved(draft.rules, place, -1, 'Rule', (at) => `rules.${at}`),
  'rule.down': ({ draft }, [place]) => moved(draft.rules, place, 1, 'Rule', (at) => `rules.${at}`),
  'rule.move': ({ draft }, [from, to]) => {
    const by = Number(to) - Number(from)
    return by === 0 ? {} : moved(draft.rules, from, by, 'Rule', (at) => `rules.${at}`)
  },
  'rule.copy': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      if (draft.rules.length >= POLICY_BOUNDS.rules) return {}
      const { id: _, ...copy } = toOpenRule(rule)
      const json = toRule({ ...copy, id: '', name: freeName(draft, copy.name) })
      draft.rules.splice(at + 1, 0, canOpen(rule) ? toOpenRule({ json }) : withoutId(rule, freeName(draft, copy.name)))
      return { focus: `rules.${at + 1}.name`, announcement: 'Rule duplicated' }
    }),
  'rule.remove': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      draft.rules.splice(at, 1)
      return { removed: { at, json: toRule(rule) }, focus: 'undo', announcement: 'Rule removed' }
    }),
  'rule.undo': ({ draft, removed }) => {
    if (removed === null) return
    const at = Math.min(removed.at, draft.rules.length)
    draft.rules.splice(at, 0, { json: removed.json })
    return { focus: `rules.${at}.edit`, announcement: 'Rule put back' }
  },
}

/** Starter rules. */
export const STARTS = {
  members: { name: 'Members of our organisation', when: { subject: 'orgRole', op: 'exists' } },
  phone: { name: 'On a phone', when: { subject: 'device', op: 'equals', value: 'mobile' } },
  language: { name: 'German speakers', when: { subject: 'language', op: 'startsWith', value: 'de' } },
  campaign: { name: 'From the newsletter', when: { subject: 'query', name: 'ref', op: 'equals', value: 'newsletter' } },
} as const satisfies Record<string, { name: string; when: Partial<DraftLeaf> }>

type StartName = keyof typeof STARTS

function added(draft: Draft, { name, when }: Pick<OpenRule, 'name' | 'when'>): Partial<Edited> {
  const at = draft.rules.length
  if (at >= POLICY_BOUNDS.rules) return {}
  draft.rules.push({ id: '', name, showBadge: undefined, when, tabs: [{ url: '', note: '', section: '' }] })
  return { focus: `rules.${at}.name`, announcement: `Rule ${at + 1} added` }
}

function withoutId(rule: DraftRule, name: string): DraftRule {
  const { id: _, ...rest } = (toRule(rule) ?? {}) as Record<string, unknown>
  return { json: { ...rest, name } }
}

/** An unused rule name: `name`, `name 2`, … */
function freeName({ rules }: Draft, name: string): string {
  const taken = new Set(rules.map((rule) => toOpenRule(rule).name))
  if (!taken.has(name)) return name
  const base = [...name.replace(/ \d+$/, '')].slice(0, POLICY_BOUNDS.name - 4).join('')
  for (let number = 2; ; number += 1) if (!taken.has(`${base} ${number}`)) return `${base} ${number}`
}
