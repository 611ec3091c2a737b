import { POLICY_BOUNDS } from '../../policies/shapes.ts'
import type { Draft, DraftTab } from './draft.ts'
import { atRule, type Edit, type Editing, moved } from './editing.ts'

/** The buttons of a rule's tabs. */
export const TAB_EDITS: Record<string, Edit> = {
  'tab.add': (editing, [place]) =>
    withTabs(editing, place, (tabs) => [{ url: '', note: '', section: tabs.at(-1)?.section ?? '' }]),
  'tab.own': (editing, [place, which]) => withTabs(editing, place, () => editing.own.slice(Number(which)).slice(0, 1)),
  'tab.all': (editing, [place]) =>
    withTabs(editing, place, (tabs) => editing.own.filter(({ url }) => tabs.every((tab) => tab.url.trim() !== url))),
  'tab.up': ({ draft }, [place, at]) => moveTab(draft, place, at, -1),
  'tab.down': ({ draft }, [place, at]) => moveTab(draft, place, at, 1),
  'tab.remove': ({ draft }, [place, which]) =>
    atRule(draft, place, (rule, at) => {
      if ('json' in rule) return {}
      rule.tabs.splice(Number(which), 1)
      return { focus: `rules.${at}.tabs.add`, announcement: 'Tab removed' }
    }),
}

function withTabs(
  { draft }: Editing,
  place: string | undefined,
  more: (tabs: readonly DraftTab[]) => readonly DraftTab[],
) {
  return atRule(draft, place, (rule, at) => {
    if ('json' in rule) return {}
    // An empty row is filled first.
    const kept = rule.tabs.filter(({ url, note }) => url.trim() !== '' || note !== '')
    const fresh = more(kept).slice(0, POLICY_BOUNDS.tabs - kept.length)
    if (fresh.length === 0) return {}
    rule.tabs = [...kept, ...fresh]
    const isBlank = fresh[0]?.url === ''
    return {
      focus: isBlank ? `rules.${at}.tabs.${rule.tabs.length - 1}.url` : `rules.${at}.tabs.add`,
      announcement: fresh.length === 1 ? 'Tab added' : `${fresh.length} tabs added`,
    }
  })
}

function moveTab(draft: Draft, place: string | undefined, at: string | undefined, by: number) {
  return atRule(draft, place, (rule, number) =>
    'json' in rule ? {} : (moved(rule.tabs, at, by, 'Tab', (to) => `rules.${number}.tabs.${to}`) ?? {}),
  )
}
