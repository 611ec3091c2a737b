import { CONTENT, type ScalarName } from '../../../src/bundles/content.ts'
import type { BundleDiff } from '../../../src/bundles/diff.ts'
import type { Entry } from '../../../src/bundles/list-diff.ts'
import { count } from '../../../src/core/words.ts'

/** The changes in one line: `title changed, 2 links added, 1 link moved`; `''` if there are none. */
export function diffSummary({ fields, links, rules }: BundleDiff): string {
  const words = {
    fields: (Object.entries(fields) as [ScalarName, { from: string; to: string }][]).map(
      ([field, { from, to }]) =>
        `${CONTENT[field].label.toLowerCase()} ${from === '' ? 'added' : to === '' ? 'removed' : 'changed'}`,
    ),
    links: countEntries(links, 'link'),
    rules: countEntries(rules, 'rule'),
  } satisfies Record<keyof BundleDiff, string[]>
  return Object.values(words).flat().join(', ')
}

function countEntries(entries: readonly Entry<unknown>[], noun: string): string[] {
  const counts = { added: 0, removed: 0, moved: 0, changed: 0 }
  for (const entry of entries) {
    if (entry.kind !== 'kept') counts[entry.kind] += 1
    else counts[Object.keys(entry.changes).length > 0 ? 'changed' : 'moved'] += 1
  }
  return Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([what, number]) => `${count(number, noun)} ${what}`)
}
