/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import { iconOf, type SiteIcons } from '../../../src/icons/site.ts'
import { Each } from '../../parts/each.tsx'
import { Tile } from '../../parts/tile.tsx'

/** Links beyond this number are only counted. */
export const MOST_TILES = 3

/** The sites of the first links, and how many links there are besides. */
export function Tiles({ urls, icons = {} }: { urls: readonly string[]; icons?: SiteIcons }): JSX.Element {
  return (
    <span class="tiles">
      <Each of={urls.slice(0, MOST_TILES)} show={(url) => <Tile url={url} icon={iconOf(url, icons)} />} />
      {urls.length > MOST_TILES ? (
        <span class="tile more" aria-hidden="true" safe>
          {String(urls.length - MOST_TILES)}
        </span>
      ) : (
        ''
      )}
      <span class="visually-hidden" safe>
        {count(urls.length, 'tab')}
      </span>
    </span>
  )
}
