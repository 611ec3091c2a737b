/** @jsxImportSource @kitajs/html */

import type { Listing } from '../../../src/bundles/shapes.ts'
import type { TagCount } from '../../../src/bundles/tag-counts.ts'
import { plural } from '../../../src/core/words.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { listAddress } from './address.ts'

/** The tags of one's bundles, each a list of its own. */
export function Folders({ tags, listing }: { tags: readonly TagCount[]; listing: Listing }): JSX.Element {
  if (tags.length === 0) return ''
  const { sort } = listing
  return (
    <nav class="folders" aria-labelledby="folders">
      <p id="folders">Tags</p>
      <Each
        of={tags}
        show={({ tag, bundles }) => (
          <a
            href={attribute(listAddress({ tag, sort, state: 'active', offset: 0 }))}
            aria-current={tag === listing.tag ? 'page' : undefined}
          >
            <Icon name="folder" />
            <span dir="auto" safe>
              {tag}
            </span>
            <span class="count">
              {bundles}
              <span class="visually-hidden" safe>{` ${plural(bundles, 'bundle')}`}</span>
            </span>
          </a>
        )}
      />
    </nav>
  )
}
