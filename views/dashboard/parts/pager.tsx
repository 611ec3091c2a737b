/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'

interface PagerProps {
  /** The range shown: `1 to 20 of 45`. */
  text: string
  /** Addresses of the previous and next page; null if there is none. */
  previous: string | null
  next: string | null
  /** Their labels. */
  names?: { previous: string; next: string }
}

/** Links to the previous and next page of a list. */
export function Pager({
  text,
  previous,
  next,
  names = { previous: 'Previous', next: 'Next' },
}: PagerProps): JSX.Element {
  return (
    <nav class="pager hint" aria-label="Pages">
      <span safe>{text}</span>
      {previous === null ? (
        ''
      ) : (
        <a class="quiet" rel="prev" href={attribute(previous)} safe>
          {names.previous}
        </a>
      )}
      {next === null ? (
        ''
      ) : (
        <a class="quiet" rel="next" href={attribute(next)} safe>
          {names.next}
        </a>
      )}
    </nav>
  )
}
