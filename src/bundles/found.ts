import { eachText, type TextName } from './content.ts'

/** A link found in a file or pasted text, not validated yet. */
export interface FoundLink {
  /** Its line in the text, from 1. */
  line: number
  /** `''` if the line has none. */
  url: string
  /** The line itself, if there is no URL to show. */
  text?: string
  note: string
  tags: string[]
  openPolicy?: 'manual'
}

/** A group of links: of a folder, heading or other grouping. */
export interface Found extends FoundTexts {
  links: FoundLink[]
  /** Its rules, unchecked; only JSON has any. */
  resolutionPolicy?: unknown
}

/** Its texts; `''` for none, or if the format has no such text. */
export type FoundTexts = Record<TextName, string>

/** An empty group. */
export function named(title: string): Found {
  return { ...eachText(() => ''), title, links: [] }
}
