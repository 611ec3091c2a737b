/** @jsxImportSource @kitajs/html */

import { tileOf } from './tile-of.js'

/** The first letter of a link’s site, on a hue that is always the same for that site. */
export function Tile({ url }: { url: string }): JSX.Element {
  const { letter, hue } = tileOf(url)
  return (
    <span class={['tile', hue]} aria-hidden="true" safe>
      {letter}
    </span>
  )
}
