import type { ImportPlan } from '../../../src/imports/plan.ts'

/** The maximum size of a file, in bytes. */
export const MAX_FILE = 5 * 1024 * 1024

/** The position of a link in a plan: `3.7` is the eighth link of the fourth bundle. */
export const placeOf = (bundle: number, link: number): string => `${bundle}.${link}`

/** The name of the title field of the link at a position. */
export const noteName = (place: string): string => `note-${place}`

export interface ImportForm {
  text: string
  /** The message about the file, on the page after its upload; null for none. */
  says: string | null
  /** An error of the text as a whole. */
  error: string | null
  /** The bundles that the text would create; null before it is parsed. */
  plan: ImportPlan | null
  /** Whether groups of links become bundles, or sections of one bundle. */
  as: 'bundles' | 'sections'
  /** The title of each bundle of the plan, as typed. */
  titles: string[]
  /** The typed titles of the first links without one, by position. */
  notes: ReadonlyMap<string, string>
  /** The selection: `3` is a bundle of the plan, `3.7` one of its links, as from `placeOf`. */
  ticked: ReadonlySet<string>
  /** The positions of the links that keep their addresses from the text. */
  kept: ReadonlySet<string>
  /** The names in braces that stay text: `3.service` is one of the links of the fourth bundle. */
  plain: ReadonlySet<string>
  /** What becomes a variable, by what is written: `3.%s`. */
  filled: ReadonlySet<string>
  /** Errors by index of the bundle. */
  errors: ReadonlyMap<number, string>
  /** Why no bundle can be created. */
  refused: string | null
  /** Prevents duplicates on a second press or a reload. */
  idempotencyKey: string
  /** Identifies the text from which the plan was made. */
  reading: string
}
