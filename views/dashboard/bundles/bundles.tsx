/** @jsxImportSource @kitajs/html */

import { allowsRole } from '../../../src/identity/roles.ts'
import type { HistoryUse } from '../../../src/plans/history.ts'
import { Icon } from '../../parts/icons.tsx'
import { HistoryNotice } from '../parts/history-notice.tsx'
import { Empty, Head } from '../parts/shell.tsx'
import type { ListProps } from './bundle-list.tsx'
import { Search } from './search.tsx'

interface BundlesProps extends ListProps {
  history: HistoryUse
}

/** The acting subject's bundles: search, sort, page (decisions 11). */
export function BundlesView(props: BundlesProps): JSX.Element {
  const { site, total, asked, history } = props
  const isDeleted = asked.state === 'deleted'
  const mayEdit = allowsRole(site.viewer.role, 'editor')
  return (
    <>
      <Head title={isDeleted ? 'Deleted bundles' : 'Bundles'}>
        {mayEdit && !isDeleted ? (
          <>
            <a class="button" href="/dashboard/links/import">
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
      {total === 0 && asked.q === undefined ? (
        <NoBundles isDeleted={isDeleted} mayEdit={mayEdit} />
      ) : (
        <Search {...props} />
      )}
      <p class="foot">
        {isDeleted ? (
          <a href="/dashboard">Back to your bundles</a>
        ) : (
          <a class="hint" href="/dashboard?state=deleted">
            Deleted bundles
          </a>
        )}
      </p>
    </>
  )
}

function NoBundles({ isDeleted, mayEdit }: { isDeleted: boolean; mayEdit: boolean }): JSX.Element {
  if (isDeleted) {
    return <Empty heading="Nothing was deleted" text="Bundles that are deleted can be restored from here." />
  }
  if (!mayEdit) {
    return <Empty heading="No bundles yet" text="What the editors of this organisation make is listed here." />
  }
  return (
    <Empty
      heading="Your first bundle"
      text="A bundle is up to 25 links behind one. Whoever opens it gets every tab with one press: a new colleague’s first day, the agenda of a meeting, the reading for a course."
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
  )
}
