/** A link as a file or a pasted text has it, before anything about it is checked. */
export interface FoundLink {
  /** Where it stands in the text; the first line is 1. */
  line: number
  /** `''` where the line holds none. */
  url: string
  /** The line itself, where there is no URL to show. */
  text?: string
  note: string
  tags: string[]
  openPolicy?: 'manual'
}

/** What belongs together in it: a folder's links, a heading's, a group's. */
export interface Found {
  /** `''` where it has no name. */
  title: string
  description: string
  links: FoundLink[]
}

/** An empty one. */
export function named(title: string): Found {
  return { title, description: '', links: [] }
}
