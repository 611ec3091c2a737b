import type { Content, UrlMetadata } from '../../../db/schema.ts'
import { eachValue, type SettingName, type ValueName } from '../content/content.ts'

/** A link found in a file or pasted text, not validated yet. */
export interface FoundLink extends UrlMetadata {
  /** Its line in the text, counted from 1. */
  line: number
  /** `''` if the line has none. */
  url: string
  /** The line itself, if there is no URL to show. */
  text?: string
  /** Notices shown beside its row; missing for none. */
  said?: readonly Said[]
}

/** A notice about a found link; `src/imports/said.ts` has the sentences. */
export interface Said {
  reason: Reason
  /** The service that had wrapped it, if it was `unwrapped`. */
  by?: string
  /** The web address in the text, if the found one was derived from it: using it instead undoes the change. */
  was?: string
}

/** The kind of a notice about a link. */
export type Reason =
  | 'unwrapped'
  | 'mended'
  | 'joined'
  | 'guessed'
  | 'cut'
  | 'password'
  | 'signed'
  | 'keyword'
  | 'private'

/** The links in one folder, under one heading or in one list. */
export interface FoundGroup extends FoundTexts {
  links: FoundLink[]
  /** Whether its title is that of the whole list; missing for no. */
  isOverAll?: boolean
  /** Its rules, unchecked; only JSON has any. */
  resolutionPolicy?: unknown
  /** Unchecked; only JSON has any. */
  variables?: unknown
  /** Its ID in its owner’s own system, and the owner’s metadata, unchecked; only JSON has any. */
  externalId?: unknown
  metadata?: unknown
  /** Its other slugs, unchecked; only JSON has any. */
  aliases?: unknown
  /** Only JSON has any. */
  settings: Settings
}

/** The settings of a bundle that differ from those of a new one. */
export type Settings = Partial<Pick<Content, SettingName>>

/** The texts and times of a bundle; `''` for none, or if the format has no such field. */
export type FoundTexts = Record<ValueName, string>

export function emptyGroup(title: string): FoundGroup {
  return { ...eachValue(() => ''), title, links: [], settings: {} }
}
