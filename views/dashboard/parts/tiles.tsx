/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import { Each } from '../../parts/each.tsx'
import { Tile } from '../../parts/tile.tsx'

/** Links beyond this number are only counted. */
const MOST = 3

/** The sites of the first links, and how many links there are besides. */
export function Tiles({ urls }: { urls: readonly string[] }): JSX.Element {
  return (
    <span class="tiles">
      <Each of={urls.slice(0, MOST)} show={(url) => <Tile url={url} />} />
      {urls.length > MOST ? (
        <span class="tile more" aria-hidden="true" safe>
          {String(urls.length - MOST)}
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
