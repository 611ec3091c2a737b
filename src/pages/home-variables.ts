import type { Listing } from '../../views/home/form.ts'
import { BOUNDS } from '../bundles/bounds.ts'
import { ABOUT_NAMES } from '../bundles/content.ts'
import { type Offer, offersIn, taken, usesOf } from '../bundles/placeholders.ts'
import type { NewBundle } from '../bundles/shapes.ts'
import { readListing, WRITTEN } from './home-list.ts'

// What the buttons of the home page do to its form, with and without the script. Variables of its bundle are in the fields
// `declared`; what was offered already, in `offered`.

/** A form after its button was pressed. */
export interface Pressed {
  fields: URLSearchParams
  listing: Listing
  /** What in its links could become a variable. */
  offers: readonly Offer[]
  /** Whether the link was asked for, by this button or an earlier one. */
  isWanted: boolean
  /** The link to put the focus on; null for none. */
  focus: string | null
  /** Whether to make the link now: nothing that has not been shown is published, and nothing is asked twice. */
  isReady: boolean
}

const BUTTON = /^(declare|leave|remove|back)-(.+)$/s

/** What the button of a form does to its list and its variables. */
export async function pressed(sent: URLSearchParams): Promise<Pressed> {
  const [, button, about = ''] = BUTTON.exec(sent.get('do') ?? '') ?? []
  if (button === undefined) {
    const listing = await readListing(sent)
    const offers = offersOf(listing, sent)
    const known = sent.getAll('offered')
    const isAsked = offers.every(({ written }) => known.includes(written))
    const isSplit = sent.get('do') === 'split' && listing.parts > 1
    // What cannot be made is refused at once; its page shows the list too.
    const isRefused = listing.count === 0 || (listing.count > BOUNDS.urls && !isSplit)
    const isReady = isRefused || (isAsked && !listing.hasNew)
    return { fields: sent, listing, offers, isWanted: true, focus: null, isReady }
  }
  const fields = new URLSearchParams(sent)
  fields.delete('do')
  if (button === 'leave') without(fields, 'declared', about)
  if (button === 'back' || button === 'remove') without(fields, 'removed', about)
  if (button === 'remove') fields.append('removed', about)
  const isDeclared = button === 'declare' && (await declare(fields, about))
  const listing = await readListing(fields)
  const offers = offersOf(listing, fields)
  const isWanted = sent.has('wanted')
  // The last answer also makes the link, so that it takes two presses with and without the script.
  const isReady = isWanted && isDeclared && offers.length === 0 && !listing.hasNew
  return { fields, listing, offers, isWanted, focus: button === 'leave' ? null : about, isReady }
}

function without(fields: URLSearchParams, name: string, value: string) {
  const others = fields.getAll(name).filter((one) => one !== value)
  fields.delete(name)
  for (const one of others) fields.append(name, one)
}

/** Makes a variable of what is written so in the links. Returns whether there is such an offer. */
async function declare(fields: URLSearchParams, written: string): Promise<boolean> {
  const offer = offersOf(await readListing(fields), fields).find((one) => one.written === written)
  if (offer === undefined) return false
  for (const name of ['urls', ...ABOUT_NAMES, ...WRITTEN]) {
    const texts = fields.getAll(name)
    fields.delete(name)
    for (const text of texts) fields.append(name, taken(text, offer))
  }
  if (!declaredIn(fields).includes(offer.name)) fields.append('declared', offer.name)
  return true
}

function offersOf({ links }: Listing, fields: URLSearchParams): Offer[] {
  const urls = links.filter(({ isRemoved }) => !isRemoved).map(({ url }) => url)
  return offersIn(urls, declaredIn(fields), BOUNDS.variables)
}

/** The variables that a form declares. More than a bundle may have were not declared by a button of the form. */
export function declaredIn(fields: URLSearchParams): string[] {
  return [...new Set(fields.getAll('declared'))].slice(0, BOUNDS.variables)
}

/** The variables that a bundle uses, of those that were declared. */
export function variablesIn(
  { urls, urlMetadata = [], title = null, description = null }: NewBundle,
  declared: string[],
) {
  const variables = declared.map((name) => ({ name }))
  const uses = usesOf({ urls, urlMetadata, title, description, variables, resolutionPolicy: null })
  return variables.filter(({ name }) => {
    const used = uses.get(name)
    return used !== undefined && used.links + used.texts.length > 0
  })
}
