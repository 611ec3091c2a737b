import type { Content, UrlMetadata } from '../../db/schema.ts'
import { eachValue, type SettingName, type ValueName } from './content.ts'

/** A link found in a file or pasted text, not validated yet. */
export interface FoundLink extends UrlMetadata {
  /** Its line in the text, from 1. */
  line: number
  /** `''` if the line has none. */
  url: string
  /** The line itself, if there is no URL to show. */
  text?: string
}

/** The links of one folder, heading or list. */
export interface FoundGroup extends FoundTexts {
  links: FoundLink[]
  /** Its rules, unchecked; only JSON has any. */
  resolutionPolicy?: unknown
  /** Unchecked; only JSON has any. */
  variables?: unknown
  /** Its ID in its owner’s own system, and their metadata, unchecked; only JSON has any. */
  externalId?: unknown
  metadata?: unknown
  /** Only JSON has any. */
  settings: Settings
}

/** Whatever a bundle has of these that a new one would not have. */
export type Settings = Partial<Pick<Content, SettingName>>

/** Its texts and times; `''` for none, or if the format has no such field. */
export type FoundTexts = Record<ValueName, string>

export function emptyGroup(title: string): FoundGroup {
  return { ...eachValue(() => ''), title, links: [], settings: {} }
}
