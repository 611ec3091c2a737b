/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import { destination } from '../../parts/destination.ts'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

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
