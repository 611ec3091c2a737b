/** @jsxImportSource @kitajs/html */

import { CONTENT, type ScalarName } from '../../../src/bundles/content.ts'
import { type BundleDiff, diff } from '../../../src/bundles/diff.ts'
import type { Version } from '../../../src/bundles/history.ts'
import type { Entry } from '../../../src/bundles/list-diff.ts'
import { NOTHING } from '../../../src/bundles/values.ts'
import { asSentence, count } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { attribute } from '../../parts/layout.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { roleOver } from '../parts/role.ts'
import { Diff } from './diff.tsx'
import { MadeBy } from './edited-by.tsx'
import type { HistoryProps } from './history-props.ts'
import { Restore } from './restore.tsx'

/** Replaces only the list. */
const INTO_LIST = 'target:"#history", swap:"outerHTML"'

type StepProps = HistoryProps & { version: Version; previous: Version | null }

/** One version of the history: who saved it, when and what it changed; the open one in full. */
export function VersionStep(props: StepProps): JSX.Element {
  const { site, bundle, before, open, latest, version, previous } = props
  const { versionNumber, editedAt } = version
  const changes = diff(previous ?? NOTHING, version)
  const isOpen = versionNumber === open
  const query = new URLSearchParams({
    ...(before === null ? {} : { before: String(before) }),
    version: String(versionNumber),
  })
  return (
    <li class={isOpen ? 'open' : undefined}>
      <div class="step cluster">
        <h2>
          <a
            id={`v${versionNumber}`}
            href={attribute(`/dashboard/links/${bundle.slug}/versions?${query}`)}
            hx-boost={INTO_LIST}
            aria-current={isOpen ? 'true' : undefined}
            safe
          >
            {`Version ${versionNumber}`}
          </a>
        </h2>
        {versionNumber === latest ? <span class="tag good">current</span> : ''}
        <span class="by hint">
          <MadeBy site={site} version={version} />
          {', '}
          <RelativeTime at={editedAt} />
        </span>
        <p class="changes" safe>
          {summary(diffSummary(changes), versionNumber)}
        </p>
      </div>
      {isOpen ? (
        <div class="card">
          <Diff diff={changes} named={[...version.variables, ...(previous?.variables ?? [])]} />
          <Actions {...props} />
        </div>
      ) : (
        ''
      )}
    </li>
  )
}

function summary(short: string, versionNumber: number): string {
  if (versionNumber === 1) return `Created: ${short}`
  return short === '' ? 'Saved without changes' : asSentence(short)
}

function Actions({ site, bundle, latest, version }: StepProps): JSX.Element {
  const { versionNumber } = version
  if (versionNumber === latest) return ''
  const to = attribute(`/dashboard/links/${bundle.slug}/versions?from=${versionNumber}&to=${latest}`)
  return (
    <div class="actions">
      {allowsRole(roleOver(bundle, site.user), 'editor') ? (
        <Restore slug={bundle.slug} versionNumber={versionNumber} latest={latest} />
      ) : (
        ''
      )}
      <a class="button" href={to}>
        Compare with the current version
      </a>
    </div>
  )
}

/** The changes in one line: `title changed, 2 links added, 1 link moved`; `''` if there are none. */
function diffSummary({ fields, links, variables, rules }: BundleDiff): string {
  const words = {
    fields: (Object.entries(fields) as [ScalarName, { from: string; to: string }][]).map(
      ([field, { from, to }]) =>
        `${CONTENT[field].label.toLowerCase()} ${from === '' ? 'added' : to === '' ? 'removed' : 'changed'}`,
    ),
    links: countEntries(links, 'link'),
    variables: countEntries(variables, 'variable'),
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
