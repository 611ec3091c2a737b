/** @jsxImportSource @kitajs/html */

import { diff } from '../../../src/bundles/content/diff.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { Alert } from '../../parts/fields.tsx'
import { Each } from '../../parts/layout.tsx'
import { roleOver } from '../../parts/visitor.ts'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Diff } from '../parts/diff/diff.tsx'
import { Pager, Sample } from '../parts/lists.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { type Comparison, type HistoryProps, Restore, VersionStep } from './version-step.tsx'

/** A sample of the page, shown until the bundle is edited. */
function SampleVersions(props: HistoryProps): JSX.Element {
  const [first] = props.versions
  if (first === undefined) return ''
  const edited = {
    ...first,
    versionNumber: 2,
    editedAt: Date.now(),
    title: SAMPLE_TITLE,
    urls: [...first.urls, ...URLS],
  }
  return (
    <Sample caption="An example of what you’ll see here once you save a change">
      <div class="history">
        <ol>
          <VersionStep {...props} open={null} latest={2} version={edited} previous={first} />
        </ol>
      </div>
    </Sample>
  )
}

const SAMPLE_TITLE = 'A better title'
const URLS = ['https://example.com/agenda', 'https://example.com/notes']

/** The versions page: the author, time and changes of each version. */
export function HistoryView(props: HistoryProps): JSX.Element {
  const { site, bundle, latest, alert } = props
  return (
    <BundleFrame site={site} bundle={bundle} tab="versions">
      <Alert text={alert} />
      {latest === 1 && (
        <p class="hint">
          Every save keeps the version before it. You’ll see here what changed and who changed it, and you can bring any
          version back.
        </p>
      )}
      <History {...props} />
      {latest === 1 && <SampleVersions {...props} />}
    </BundleFrame>
  )
}

/** A list of versions, one of them in full; opening another replaces the list. */
export function History(props: HistoryProps): JSX.Element {
  const { versions, earlier, comparison, pick, latest } = props
  return (
    <div id="history" class={['history', comparison !== null && 'split']}>
      {comparison !== null && <Compared {...props} {...comparison} />}
      <div class="past">
        {latest !== 1 && (
          <div class="cluster">
            <h2 safe>{count(latest, 'version')}</h2>
            {comparison === null && (
              <span class="hint">{pick === null ? 'Choose two dots to compare' : 'Choose another dot to compare'}</span>
            )}
          </div>
        )}
        <ol>
          <Each
            of={versions}
            show={(version, at) => <VersionStep {...props} version={version} previous={versions[at + 1] ?? earlier} />}
          />
        </ol>
        <Pages {...props} />
      </div>
    </div>
  )
}

function Pages({ bundle, versions, before, latest, pick }: HistoryProps): JSX.Element {
  const newest = versions[0]?.versionNumber ?? 0
  const oldest = versions.at(-1)?.versionNumber ?? 0
  if (before === null && oldest <= 1) return ''
  const path = routes.bundle.versions.href({ slug: bundle.slug })
  const newer = newest + versions.length + 1
  // The other version to compare may be on another page.
  const pageOf = (from: number | null) => {
    const query = new URLSearchParams({
      ...(from === null ? {} : { before: String(from) }),
      ...(pick === null ? {} : { pick: String(pick) }),
    })
    return query.size === 0 ? path : `${path}?${query}`
  }
  return (
    <Pager
      text={`${newest} to ${oldest} of ${latest}`}
      previous={newest < latest ? pageOf(newer > latest ? null : newer) : null}
      next={oldest > 1 ? pageOf(oldest) : null}
      names={{ previous: 'Newer', next: 'Older' }}
    />
  )
}

/** Two versions in comparison, with a button that restores the older one. */
function Compared({ site, bundle, icons, latest, from, to }: HistoryProps & Comparison): JSX.Element {
  const older = Math.min(from.versionNumber, to.versionNumber)
  const mayRestore = older < latest && allowsRole(roleOver(bundle, site.user), 'editor')
  return (
    <section class="compared aside stack" aria-labelledby="comparison-heading">
      <div class="step cluster">
        <h2 id="comparison-heading" safe>
          {`Version ${from.versionNumber} → version ${to.versionNumber}`}
        </h2>
        <span class="by hint">
          <RelativeTime at={from.editedAt} />
          {' → '}
          <RelativeTime at={to.editedAt} />
        </span>
      </div>
      <Diff diff={diff(from, to)} named={[...to.variables, ...from.variables]} icons={icons} />
      <div class="actions">
        {mayRestore && <Restore slug={bundle.slug} versionNumber={older} latest={latest} />}
        <a class="quiet" href={routes.bundle.versions.href({ slug: bundle.slug })}>
          Close comparison
        </a>
      </div>
    </section>
  )
}
