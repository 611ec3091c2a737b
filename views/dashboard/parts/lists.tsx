/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { attribute } from '../../parts/layout.tsx'

interface PagerProps {
  /** The range shown: `1 to 20 of 45`. */
  text: string
  /** Addresses of the previous and next page; null if there is none. */
  previous: string | null
  next: string | null
  /** The labels of the links. */
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
      {previous !== null && (
        <a class="quiet" rel="prev" href={attribute(previous)} safe>
          {names.previous}
        </a>
      )}
      {next !== null && (
        <a class="quiet" rel="next" href={attribute(next)} safe>
          {names.next}
        </a>
      )}
    </nav>
  )
}

/** Fills an empty state with a sample, rendered from the page's own parts but inert. */
export function Sample({ caption, children }: PropsWithChildren<{ caption: string }>): JSX.Element {
  return (
    <figure class="sample">
      <figcaption class="hint" safe>
        {caption}
      </figcaption>
      <div class="picture" aria-hidden="true" inert>
        {children}
      </div>
    </figure>
  )
}
