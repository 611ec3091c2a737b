/** @jsxImportSource @kitajs/html */

import { ICON_PIXELS, iconPath, type SiteIcon } from '../../src/icons/site.ts'
import { tileOf } from './tile-of.js'

interface TileProps {
  url: string
  /** If the site’s icon is known. */
  icon?: SiteIcon | undefined
  /** Whether it is loaded only once it is about to be seen. */
  isLazy?: boolean
}

/** The icon of a link’s site; where it is not known, its first letter, on a hue that is always the same for that site. */
export function Tile({ url, icon, isLazy = true }: TileProps): JSX.Element {
  if (icon !== undefined) {
    return (
      <img
        class={['tile', 'favicon', icon.tone]}
        src={iconPath(icon)}
        alt=""
        width={ICON_PIXELS / 2}
        height={ICON_PIXELS / 2}
        loading={isLazy ? 'lazy' : undefined}
      />
    )
  }
  const { letter, hue } = tileOf(url)
  return (
    <span class={['tile', hue]} aria-hidden="true" safe>
      {letter}
    </span>
  )
}
