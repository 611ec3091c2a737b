import type { AboutName } from '../../src/bundles/content.ts'
import type { Offer } from '../../src/bundles/placeholders.ts'
import type { FoundList } from '../../src/imports/plan.ts'

/** A found link as it is listed before anything is published. */
export interface ListedLink {
  url: string
  /** As typed, otherwise as found. */
  title: string
  /** The title in the pasted text. */
  found: string
  isRemoved: boolean
  /** What is wrong with the title. */
  error?: string | undefined
}

/** What was found in a pasted text, and what was made of it since. */
export interface Listing {
  /** What is to be published: without what was removed, and with what was typed. */
  list: FoundList
  /** The links as they are shown, those too that were removed; of a very long list only the first. */
  links: readonly ListedLink[]
  /** How many are to be published, and how many were removed. */
  count: number
  removed: number
  /** The texts about the bundle in what was pasted. */
  found: Record<AboutName, string>
  /** Whether there are links that the form did not show. */
  hasNew: boolean
  /** How many bundles the list could be split into; 0 or 1 if that is not offered. */
  parts: number
}

export interface HomeForm extends Record<AboutName, string> {
  /** The pasted text. */
  text: string
  /** The links found in it; null if nothing has been pasted. */
  listing: Listing | null
  /** The link to put the focus on; null for none. */
  focus: string | null
  /** The variables that it declares, by name. */
  declared: readonly string[]
  /** What in its links could become a variable. */
  offers: readonly Offer[]
  /** Whether the link was asked for: taking the last offer makes it. */
  isWanted: boolean
  /** Whether it is shown because the link was asked for, before its list had been seen. */
  isAsked: boolean
  /** Errors by field; `urls` is for the whole list, `form` for errors of no field. */
  errors: Partial<Record<AboutName | 'urls' | 'form', string>>
  /** The page with the bundles that were made before one was refused; null if none was. */
  made: string | null
}
