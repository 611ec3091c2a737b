import { createHash } from 'node:crypto'
import { blanked } from '../../../src/bundles/variables/variables.ts'
import { count } from '../../../src/core/words.ts'
import { iconOf, type SiteIcon } from '../../../src/icons/site.ts'
import type { OrganizationLook, PublicBundle } from '../../../src/launcher/served.ts'
import { hostsOf } from '../../parts/destination.ts'
import { signOf, tileOf } from '../../parts/hues.ts'
import { hueNamed } from '../../parts/tile.tsx'

/** The size of a link preview picture, the most bytes of its file, and the most tiles in it. */
export const PICTURE = { width: 1200, height: 630, bytes: 60_000, tiles: 12 } as const

/** What a link preview picture shows; hues are the classes of tile.css. */
export interface PictureWords {
  title: string
  /** The number of tabs in words; `''` if rules choose the tabs. */
  count: string
  /** Where the tabs lead. */
  where: string
  tiles: { letter: string; hue: string; icon: SiteIcon | null }[]
  /** The organisation that owns it; null for none. */
  owner: { name: string; letter: string; hue: string; pictureId: string | null } | null
  service: string
}

/** What cannot be seen, or would turn what stands beside it; but not what joins letters or signs. */
const UNSEEN = /(?!\u200c|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0]/gu
const MAX_HOSTS = 3

const plain = (text: string) => text.normalize('NFC').replace(/\s+/gu, ' ').replace(UNSEEN, '').trim()

/** What a bundle's picture shows. It mentions no tabs if rules choose them. */
export function pictureWords(
  service: string,
  {
    title,
    urls,
    variables,
    hasRules,
    organization,
    siteIcons,
  }: Pick<PublicBundle, 'title' | 'urls' | 'variables' | 'hasRules' | 'organization' | 'siteIcons'>,
): PictureWords {
  const names = variables.map(({ name }) => name)
  const heading = plain(blanked(title ?? '', names))
  const owner = organization === null ? null : ownerOf(organization)
  if (hasRules) return { title: heading || service, count: '', where: '', tiles: [], owner, service }
  const hosts = hostsOf(urls)
  const more = hosts.length > MAX_HOSTS ? ` and ${hosts.length - MAX_HOSTS} more` : ''
  const tabs = count(urls.length, 'tab')
  return {
    title: heading || tabs,
    count: tabs,
    where: hosts.slice(0, MAX_HOSTS).join(', ') + more,
    tiles: urls.map((url) => ({ ...tileOf(url), icon: iconOf(url, siteIcons) ?? null })),
    owner,
    service,
  }
}

function ownerOf({ name, color, pictureId }: OrganizationLook): PictureWords['owner'] {
  const { letter, hue } = signOf(name)
  return { name: plain(name), letter, hue: color === null ? hue : hueNamed(color), pictureId }
}

/** Changes with the drawing, so that pictures that others keep are replaced. */
const DRAWING = 2

/** A hash of what a picture shows, by which each can be cached forever. */
export function pictureName(words: PictureWords): string {
  return createHash('sha256')
    .update(JSON.stringify([DRAWING, words]))
    .digest('base64url')
    .slice(0, 12)
}

const RIGHT_TO_LEFT = /^\P{L}*[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/**
 * The direction of a launcher: that of its title or, without one, of most of its tabs' titles. Rows of two directions would have
 * their tiles on either side in turn.
 */
export function directionOf({ title, urlMetadata }: Pick<PublicBundle, 'title' | 'urlMetadata'>): 'rtl' | undefined {
  if (/\p{L}/u.test(title ?? '')) return isRightToLeft(title ?? '') ? 'rtl' : undefined
  const texts = urlMetadata.map(({ note = '' }) => note).filter((text) => /\p{L}/u.test(text))
  return texts.filter(isRightToLeft).length * 2 > texts.length ? 'rtl' : undefined
}

/** Whether the first letter of a text belongs to a right-to-left script. */
export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}
