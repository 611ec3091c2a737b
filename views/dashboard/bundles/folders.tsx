/** @jsxImportSource @kitajs/html */

import type { Listing } from '../../../src/bundles/shapes.ts'
import type { TagCount } from '../../../src/bundles/tag-counts.ts'
import { plural } from '../../../src/core/words.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { listAddress } from './address.ts'

interface FoldersProps {
  tags: readonly TagCount[]
  /** Whether a link of any bundle is broken. */
  isAnyBroken: boolean
  listing: Listing
}

/** The tags of one's bundles, each a list of its own, and those with broken links. */
export function Folders({ tags, isAnyBroken, listing }: FoldersProps): JSX.Element {
  return (
    <>
      {isAnyBroken ? <BrokenLinks listing={listing} /> : ''}
      {tags.length === 0 ? '' : <Tags tags={tags} listing={listing} />}
    </>
  )
}

function BrokenLinks({ listing: { health, sort } }: Pick<FoldersProps, 'listing'>): JSX.Element {
  return (
    <nav class="folders" aria-label="Health of links">
      <a
        href={attribute(listAddress({ health: 'broken', sort, state: 'active', offset: 0 }))}
        aria-current={health === 'broken' ? 'page' : undefined}
      >
        <Icon name="alert" />
        <span>Broken links</span>
      </a>
    </nav>
  )
}

function Tags({ tags, listing }: Pick<FoldersProps, 'tags' | 'listing'>): JSX.Element {
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
