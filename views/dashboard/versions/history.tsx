/** @jsxImportSource @kitajs/html */

import { Alert } from '../../parts/fields.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Pager } from '../parts/pager.tsx'
import { Compared, CompareForm } from './comparison.tsx'
import type { HistoryProps } from './history-props.ts'
import { SampleVersions } from './sample.tsx'
import { VersionStep } from './version-step.tsx'

/** The versions page: who made each version, when, and what it changed (decisions 11). */
export function HistoryView(props: HistoryProps): JSX.Element {
  const { site, bundle, latest, alert } = props
  return (
    <BundleFrame site={site} bundle={bundle} tab="versions">
      <Alert text={alert} />
      {latest === 1 ? (
        <p class="hint">
          Every save keeps the version before it. You’ll see here what changed and who changed it, and you can bring any
          version back.
        </p>
      ) : (
        <CompareForm {...props} />
      )}
      <History {...props} />
      {latest === 1 ? <SampleVersions {...props} /> : ''}
    </BundleFrame>
  )
}

/** A list of versions, one of them in full; opening another replaces the list. */
export function History(props: HistoryProps): JSX.Element {
  const { versions, earlier, comparison } = props
  return (
    <div id="history" class="history">
      {comparison === null ? '' : <Compared {...props} {...comparison} />}
      <ol>
        {
          versions.map((version, at) => (
            <VersionStep {...props} version={version} previous={versions[at + 1] ?? earlier} />
          )) as 'safe'[]
        }
      </ol>
      <Pages {...props} />
    </div>
  )
}

function Pages({ bundle, versions, before, latest }: HistoryProps): JSX.Element {
  const newest = versions[0]?.versionNumber ?? 0
  const oldest = versions.at(-1)?.versionNumber ?? 0
  if (before === null && oldest <= 1) return ''
  const path = `/dashboard/links/${bundle.slug}/versions`
  const newer = newest + versions.length + 1
  const previous = newer > latest ? path : `${path}?before=${newer}`
  return (
    <Pager
      text={`${newest} to ${oldest} of ${latest}`}
      previous={newest < latest ? previous : null}
      next={oldest > 1 ? `${path}?before=${oldest}` : null}
      names={{ previous: 'Newer', next: 'Older' }}
    />
  )
}
