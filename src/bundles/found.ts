import { eachValue, type ValueName } from './content.ts'

/** A link found in a file or pasted text, not validated yet. */
export interface FoundLink {
  /** Its line in the text, from 1. */
  line: number
  /** `''` if the line has none. */
  url: string
  /** The line itself, if there is no URL to show. */
  text?: string
  note: string
  /** The heading that it is under within its group. */
  section?: string
  tags: string[]
  openPolicy?: 'manual'
}

/** The links of one folder, heading or list. */
export interface FoundGroup extends FoundTexts {
  links: FoundLink[]
  /** Its rules, unchecked; only JSON has any. */
  resolutionPolicy?: unknown
  /** How it was protected; only JSON says so. */
  access?: 'members' | 'password'
  /** Whether viewers could copy it; only JSON says so. */
  copyable?: true
}

/** Its texts and times; `''` for none, or if the format has no such field. */
export type FoundTexts = Record<ValueName, string>

/** An empty group. */
export function emptyGroup(title: string): FoundGroup {
  return { ...eachValue(() => ''), title, links: [] }
}
