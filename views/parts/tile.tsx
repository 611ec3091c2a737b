/** @jsxImportSource @kitajs/html */

import { COLORS } from '../../src/accounts/organizations.ts'
import { count } from '../../src/core/words.ts'
import { ICON_PIXELS, iconOf, iconPath, type SiteIcon, type SiteIcons } from '../../src/icons/site.ts'
import { signOf, tileOf } from './hues.ts'
import { Each, type SignedInUser } from './layout.tsx'

interface TileProps {
  url: string
  /** The site’s icon, if it is known. */
  icon?: SiteIcon | undefined
  /** Whether it is loaded only when it is about to become visible. */
  isLazy?: boolean
}

/** The icon of a link’s site or, if that is unknown, its first letter in the site's constant hue. */
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

/** A stub for each tab, in the hue of its site, on a strip beside a tab; a missing address leaves a gap. */
export function Stubs({ urls }: { urls: readonly (string | undefined)[] }): JSX.Element {
  return (
    <div class="stubs" aria-hidden="true">
      <Each of={urls} show={(url) => <i class={['stub', url === undefined ? 'none' : tileOf(url).hue]}></i>} />
    </div>
  )
}

/** Stubs without tabs. */
export const NO_TABS: readonly undefined[] = Array.from({ length: 9 }, () => undefined)

/** The display name of a person: their name or else their address. */
export function personName({ name, email }: Pick<SignedInUser, 'name' | 'email'>): string {
  return name.trim() || email
}

/** The class of a chosen colour. */
export function hueNamed(color: (typeof COLORS)[number]): string {
  return `hue-${COLORS.indexOf(color)}`
}

interface MonogramProps {
  text: string
  /** The chosen colour of an organisation; null for none. */
  color?: (typeof COLORS)[number] | null
  /** The id of an organisation’s picture; null for none. */
  pictureId?: string | null
}

/** The picture of an organisation or else the first letter of a name, in the chosen colour or the name's constant hue. */
export function Monogram({ text, color = null, pictureId = null }: MonogramProps): JSX.Element {
  if (pictureId !== null)
    return <img class="monogram" src={iconPath({ id: pictureId })} alt="" width="24" height="24" />
  const { letter, hue } = signOf(text)
  return (
    <span class={['monogram', color === null ? hue : hueNamed(color)]} aria-hidden="true" safe>
      {letter}
    </span>
  )
}

/** How many links get a tile; the others are only counted. */
export const MOST_TILES = 3

/** The sites of the first links, and the number of the others. */
export function Tiles({ urls, icons = {} }: { urls: readonly string[]; icons?: SiteIcons }): JSX.Element {
  return (
    <span class="tiles">
      <Each of={urls.slice(0, MOST_TILES)} show={(url) => <Tile url={url} icon={iconOf(url, icons)} />} />
      {urls.length > MOST_TILES && (
        <span class="tile more" aria-hidden="true" safe>
          {String(urls.length - MOST_TILES)}
        </span>
      )}
      <span class="visually-hidden" safe>
        {count(urls.length, 'tab')}
      </span>
    </span>
  )
}
