/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'

/** Fills an empty state with a sample, rendered by the page's own parts but inert. */
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
