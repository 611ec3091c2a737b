import { BOUNDS } from '../bundles/bounds.ts'
import { ABOUT_NAMES } from '../bundles/content.ts'
import { type Offer, offersIn, taken, usesOf } from '../bundles/placeholders.ts'
import type { NewBundle } from '../bundles/shapes.ts'
import { readList } from '../imports/import.ts'
import type { FoundList } from '../imports/plan.ts'

// Variables of a bundle that is made on the home page. Their names are in the form’s fields `declared`; what was offered
// already, in `offered`.

/** The links of the form’s text. */
export function listIn(fields: URLSearchParams): FoundList {
  return readList(fields.getAll('urls').join('\n'))
}

/** What in the links of a list could become a variable. */
export function offersOf({ links }: FoundList, declared: readonly string[]): Offer[] {
  const urls = links.map(({ url }) => url)
  return offersIn(urls, declared, BOUNDS.variables)
}

/** A form after its button was pressed. */
interface Pressed {
  fields: URLSearchParams
  offers: Offer[]
  /** Whether the link was asked for, by this button or an earlier one. */
  isWanted: boolean
  /** Whether to make the link now. Something that was not offered before is asked about first. */
  isReady: boolean
}

/** Whether anything of a form is about variables; without reading it. */
export function mayHaveVariables(sent: URLSearchParams): boolean {
  return /^(?:declare|leave)-/.test(sent.get('do') ?? '') || /\{|%7b/i.test(sent.getAll('urls').join('\n'))
}

/**
 * What the button of a form does to its variables: the last that makes one of what was asked about also makes the link, so
 * that it takes two presses with and without the script.
 */
export function pressed(sent: URLSearchParams): Pressed {
  const fields = new URLSearchParams(sent)
  const [, button, name = ''] = /^(declare|leave)-(.+)$/.exec(sent.get('do') ?? '') ?? []
  const before = offersOf(listIn(sent), sent.getAll('declared'))
  const isWanted = button === undefined || sent.has('wanted')
  if (button === undefined) {
    const known = sent.getAll('offered')
    return { fields, offers: before, isWanted, isReady: before.every(({ written }) => known.includes(written)) }
  }
  fields.delete('do')
  const offer = before.find(({ written }) => written === name)
  if (button === 'leave') {
    fields.delete('declared')
    for (const one of sent.getAll('declared')) if (one !== name) fields.append('declared', one)
  } else if (offer !== undefined) {
    fields.set('urls', taken(sent.getAll('urls').join('\n'), offer))
    for (const about of ABOUT_NAMES) fields.set(about, taken(sent.get(about) ?? '', offer))
    if (!sent.getAll('declared').includes(offer.name)) fields.append('declared', offer.name)
  }
  const offers = offersOf(listIn(fields), fields.getAll('declared'))
  return { fields, offers, isWanted, isReady: isWanted && offer !== undefined && offers.length === 0 }
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
