/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'

/** Shows the finished thing where there is nothing yet, made by the same parts. It is a picture: nothing in it can be used. */
export function Sample({ says, children }: PropsWithChildren<{ says: string }>): JSX.Element {
  return (
    <figure class="sample">
      <figcaption class="hint" safe>
        {says}
      </figcaption>
      <div class="picture" aria-hidden="true" inert>
        {children as 'safe'}
      </div>
    </figure>
  )
}
