/** @jsxImportSource @kitajs/html */

import { EXAMPLES } from '../../../src/bundles/examples.ts'
import type { HistoryUse } from '../../../src/bundles/history-cap.ts'
import { count } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Tile } from '../../parts/tile.tsx'
import { HistoryNotice } from '../parts/history-notice.tsx'
import { Empty, Head } from '../parts/shell.tsx'
import type { ListProps } from './bundle-list.tsx'
import { Search } from './search.tsx'

/** Example bundles to start with: one click copies a bundle and opens it. */
function Examples({ idempotencyKey }: { idempotencyKey: string }): JSX.Element {
  return (
    <section class="examples stack" aria-labelledby="examples">
      <h2 id="examples">Or start with an example</h2>
      <ul>
        <Each
          of={Object.entries(EXAMPLES)}
          show={([name, { title, urls, urlMetadata }]) => (
            <li class="card">
              <h3 safe>{title}</h3>
              <p class="hint" safe>
                {count(urls.length, 'link')}
              </p>
              <ol>
                <Each
                  of={urlMetadata.slice(0, SHOWN)}
                  show={({ note }, at) => (
                    <li>
                      <Tile url={urls[at]!} />
                      <span safe>{note}</span>
                    </li>
                  )}
                />
              </ol>
              <form method="post" action="/dashboard/links/examples">
                <input type="hidden" name="idempotencyKey" value={`${idempotencyKey}-${name}`} />
                <button type="submit" name="example" value={name} aria-label={`Use this example: ${title}`}>
                  Use this example
                </button>
              </form>
            </li>
          )}
        />
      </ul>
    </section>
  )
}

/** Maximum links on an example's card. */
const SHOWN = 3

interface BundlesProps extends ListProps {
  /** Prevents a second bundle on a second press of an example. */
  idempotencyKey: string
  history: HistoryUse
  /** How long deleted bundles can be restored. */
  keptDays: number
  /** Open proposals for these bundles. */
  proposals: number
}

/** The acting subject's bundles: search, sort, page. */
export function BundlesView(props: BundlesProps): JSX.Element {
  const { site, total, listing, history, idempotencyKey, keptDays, proposals } = props
  const isDeleted = listing.state === 'deleted'
  const mayEdit = allowsRole(site.user.role, 'editor')
  const isEmpty = total === 0 && listing.q === undefined && listing.tag === undefined
  return (
    <>
      <Head title={isDeleted ? 'Deleted bundles' : 'Bundles'}>
        {mayEdit && !isDeleted && !isEmpty ? (
          <>
            <a class="quiet" href="/dashboard/links/import">
              <Icon name="download" />
              Import
            </a>
            <a class="button primary" href="/dashboard/links/new">
              <Icon name="plus" />
              New bundle
            </a>
          </>
        ) : (
          ''
        )}
      </Head>
      <HistoryNotice history={history} />
      {proposals === 0 || isDeleted ? (
        ''
      ) : (
        <p class="waiting">
          <a class="button" href="/dashboard/proposals" safe>
            {mayEdit ? `${count(proposals, 'suggestion')} to review` : count(proposals, 'open suggestion')}
          </a>
        </p>
      )}
      {isEmpty ? (
        <NoBundles isDeleted={isDeleted} mayEdit={mayEdit} idempotencyKey={idempotencyKey} />
      ) : (
        <Search {...props} />
      )}
      <p class="cluster">
        {isDeleted ? (
          <>
            <a href="/dashboard">Back to your bundles</a>
            <span class="hint" safe>{`Deleted bundles are erased after ${count(keptDays, 'day')}.`}</span>
          </>
        ) : (
          <a class="hint" href="/dashboard?state=deleted">
            Deleted bundles
          </a>
        )}
        <a class="hint" href="/docs/quick-start" hx-boost="false">
          Guides
        </a>
      </p>
    </>
  )
}

interface NoBundlesProps extends Pick<BundlesProps, 'idempotencyKey'> {
  isDeleted: boolean
  mayEdit: boolean
}

function NoBundles({ isDeleted, mayEdit, idempotencyKey }: NoBundlesProps): JSX.Element {
  if (isDeleted) {
    return <Empty heading="Nothing in here" text="Bundles you delete can be restored from here." />
  }
  if (!mayEdit) {
    return <Empty heading="No bundles yet" text="Bundles that this organisation’s editors create will show up here." />
  }
  return (
    <>
      <Empty
        heading="Your first bundle"
        text="A bundle puts up to 25 links behind one. Anyone with the link opens every tab in one click: a new colleague’s first day, a meeting’s agenda, a course’s reading."
      >
        <p class="actions">
          <a class="button primary" href="/dashboard/links/new">
            <Icon name="plus" />
            New bundle
          </a>
          <a class="button" href="/dashboard/links/import">
            Import bookmarks or a list
          </a>
        </p>
      </Empty>
      <Examples idempotencyKey={idempotencyKey} />
    </>
  )
}
