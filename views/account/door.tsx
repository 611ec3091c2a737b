/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'

/** A sheet in the middle whose heading is its tab; `beside` is the way to the other sheet. */
export function Door({ title, beside = '', children }: PropsWithChildren<{ title: string; beside?: JSX.Element }>) {
  return (
    <div class="door">
      <div class="strip">
        <h1 class="tab-name" safe>
          {title}
        </h1>
        {beside}
      </div>
      <div class="sheet">{children}</div>
    </div>
  )
}
