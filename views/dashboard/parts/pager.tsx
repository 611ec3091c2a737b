/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'

interface PagerProps {
  /** What of how much is shown: `1 to 20 of 45`. */
  says: string
  /** Addresses of the pages beside this one; null where there is none. */
  previous: string | null
  next: string | null
  /** What the ways to them are called. */
  names?: { previous: string; next: string }
}

/** The ways to the pages before and after this one of a long list. */
export function Pager({
  says,
  previous,
  next,
  names = { previous: 'Previous', next: 'Next' },
}: PagerProps): JSX.Element {
  return (
    <nav class="pager hint" aria-label="Pages">
      <span safe>{says}</span>
      {previous === null ? (
        ''
      ) : (
        <a class="quiet" rel="prev" href={attribute(previous)}>
          {names.previous as 'safe'}
        </a>
      )}
      {next === null ? (
        ''
      ) : (
        <a class="quiet" rel="next" href={attribute(next)}>
          {names.next as 'safe'}
        </a>
      )}
    </nav>
  )
}
