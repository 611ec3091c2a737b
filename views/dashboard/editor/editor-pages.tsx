/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { HistoryUse } from '../../../src/plans/history.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { destination } from '../../parts/destination.ts'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { HistoryNotice } from '../parts/history-notice.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { Editor } from './editor.tsx'
import type { EditorState } from './form.ts'

interface NewBundleProps {
  /** The bundle that this one begins as a copy of. */
  from: StoredBundle | null
  /** So that a second press or a reload makes no second bundle. */
  idempotencyKey: string
  state: EditorState
}

/** A bundle that is yet to be made. */
export function NewBundlePage({ from, idempotencyKey, state }: NewBundleProps): JSX.Element {
  const rules = from?.resolutionPolicy?.rules.length ?? 0
  const lede =
    from === null
      ? 'Up to 25 links behind one. Whoever opens it gets every tab with one press.'
      : `A copy of “${headingOf(from)}”${rules === 0 ? '' : ', its rules included'}. Nothing is made until you save.`
  return (
    <>
      <Head title={from === null ? 'New bundle' : 'Duplicate'} lede={lede}>
        {from === null ? (
          <a class="button" href="/dashboard/links/import">
            Import instead
          </a>
        ) : undefined}
      </Head>
      <Editor
        action="/dashboard/links/new"
        kind="new"
        hidden={{ idempotencyKey, ...(from === null ? {} : { from: from.slug }) }}
        save="Make the bundle"
        notice={undefined}
        state={state}
      />
    </>
  )
}

interface BundlePageProps {
  site: DashboardSite
  bundle: StoredBundle
  /** The version that is edited; `over` is one that it was begun with, where somebody else has saved since. */
  version: number
  over: number | null
  /** What somebody else has saved, against what was typed. */
  conflict: JSX.Element | undefined
  state: EditorState
  history: HistoryUse
}

/** A bundle that is edited. */
export function BundlePage({ site, bundle, version, over, conflict, state, history }: BundlePageProps): JSX.Element {
  const reminder = (
    <p class="alert" safe>
      {`Version ${version} was saved by somebody while you typed. Saving puts yours in its place.`}
    </p>
  )
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit">
      <HistoryNotice history={history} />
      <Editor
        action={`/dashboard/links/${bundle.slug}`}
        kind="saved"
        hidden={{ version: String(version), ...(over === null ? {} : { over: String(over) }) }}
        save={over === null ? 'Save' : 'Save mine over theirs'}
        notice={conflict ?? (over === null ? undefined : reminder)}
        state={state}
      />
    </BundleFrame>
  )
}

/** A bundle as somebody sees it who may not edit it. */
export function ReadOnlyPage({ site, bundle }: { site: DashboardSite; bundle: StoredBundle }): JSX.Element {
  const { urls, urlMetadata, description } = bundle
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit">
      <p class="hint">You see this bundle as a viewer. Editors and admins of its organisation can change it.</p>
      {description === null ? (
        ''
      ) : (
        <p class="prose" dir="auto" safe>
          {description}
        </p>
      )}
      <ol class="rows shown">
        {
          urls.map((url, index) => {
            const { note = '', tags = [], openPolicy } = urlMetadata[index] ?? {}
            const { href, host, unicode, path } = destination(url)
            return (
              <li class="row">
                <div class="what">
                  <a class="address" href={attribute(href)} target="_blank" rel="noopener noreferrer" dir="ltr">
                    <bdi safe>{unicode === null ? host : `${unicode} (${host})`}</bdi>
                    <bdi class="hint" safe>
                      {path}
                    </bdi>
                  </a>
                  {note === '' ? (
                    ''
                  ) : (
                    <p class="prose" dir="auto" safe>
                      {note}
                    </p>
                  )}
                  <p class="tags">
                    {openPolicy === 'manual' ? <span class="tag">opens by hand</span> : ''}
                    {
                      tags.map((tag) => (
                        <span class="tag" dir="auto" safe>
                          {tag}
                        </span>
                      )) as 'safe'[]
                    }
                  </p>
                </div>
              </li>
            )
          }) as 'safe'[]
        }
      </ol>
    </BundleFrame>
  )
}
