/** @jsxImportSource @kitajs/html */

import { diff } from '../../../src/bundles/diff.ts'
import type { Version } from '../../../src/bundles/history.ts'
import { NOTHING } from '../../../src/bundles/values.ts'
import { asSentence } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { attribute } from '../../parts/layout.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { roleOver } from '../parts/role.ts'
import { Diff } from './diff.tsx'
import { diffSummary } from './diff-words.ts'
import { EditedBy } from './edited-by.tsx'
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
          <EditedBy site={site} version={version} />
          {', '}
          <RelativeTime at={editedAt} />
        </span>
        <p class="changes" safe>
          {summary(diffSummary(changes), versionNumber)}
        </p>
      </div>
      {isOpen ? (
        <div class="card">
          <Diff diff={changes} />
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

/** The actions on the open version. */
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
