/** @jsxImportSource @kitajs/html */

import { Each } from './each.tsx'
import { tileOf } from './tile-of.js'

/** A stub for each tab, in the hue of its site; a gap for an address that is missing. Beside a tab, on a strip. */
export function Stubs({ urls }: { urls: readonly (string | undefined)[] }): JSX.Element {
  return (
    <div class="stubs" aria-hidden="true">
      <Each of={urls} show={(url) => <i class={['stub', url === undefined ? 'none' : tileOf(url).hue]}></i>} />
    </div>
  )
}

/** Stubs of tabs that are not there. */
export const NO_TABS: readonly undefined[] = Array.from({ length: 9 }, () => undefined)
