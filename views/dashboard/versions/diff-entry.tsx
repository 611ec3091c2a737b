/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import type { Entry } from '../../../src/bundles/list-diff.ts'
import type { SiteIcon } from '../../../src/icons/site.ts'
import { Tile } from '../../parts/tile.tsx'

const SIGNS = {
  added: { sign: '+', word: 'Added' },
  removed: { sign: '−', word: 'Removed' },
  changed: { sign: '~', word: 'Changed' },
  moved: { sign: '↕', word: 'Moved' },
} as const

type DiffEntryProps = PropsWithChildren<{
  entry: Entry<unknown>
  /** Of a link. */
  url?: string
  icon?: SiteIcon | undefined
}>

/** An entry of a list, marked as added, removed, changed or moved by a sign and a word, with its number. */
export function DiffEntry({ entry, url, icon, children }: DiffEntryProps): JSX.Element {
  const kind = entry.kind !== 'kept' ? entry.kind : Object.keys(entry.changes).length > 0 ? 'changed' : 'moved'
  const { sign, word } = SIGNS[kind]
  return (
    <li class={kind}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {url === undefined ? '' : <Tile url={url} icon={icon} />}
      <div class="placed">
        <div class="entry">{children}</div>
        <span class="place hint">
          <span class="visually-hidden" safe>{`${word}, `}</span>
          {escapeHtml(place(entry))}
        </span>
      </div>
    </li>
  )
}

function place(entry: Entry<unknown>): string {
  if (entry.kind === 'added') return `no. ${entry.to + 1}`
  if (entry.kind === 'removed') return `was no. ${entry.from + 1}`
  return entry.isMoved ? `no. ${entry.from + 1} → ${entry.to + 1}` : `no. ${entry.to + 1}`
}
