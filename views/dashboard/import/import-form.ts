import type { ImportPlan } from '../../../src/imports/plan.ts'

/** The place of a link in a plan: `3.7` is the eighth link of the fourth bundle. */
export const placeOf = (bundle: number, link: number): string => `${bundle}.${link}`

/** The name of the field for the title of the link in a place. */
export const noteName = (place: string): string => `note-${place}`

export interface ImportForm {
  text: string
  /** An error of the text as a whole. */
  error: string | null
  /** The bundles the text would create; null before it is read. */
  plan: ImportPlan | null
  /** Whether groups of links become bundles, or sections of one. */
  as: 'bundles' | 'sections'
  /** The title of each bundle of the plan, as typed. */
  titles: string[]
  /** Titles of the first links that have none, as typed, by the places of the links. */
  notes: ReadonlyMap<string, string>
  /** The selection: `3` is a bundle of the plan, `3.7` one of its links, as `placeOf` says. */
  ticked: ReadonlySet<string>
  /** Errors by index of the bundle. */
  errors: ReadonlyMap<number, string>
  /** Why no bundle can be created. */
  refused: string | null
  /** Prevents duplicates on a second press or a reload. */
  idempotencyKey: string
  /** Identifies the text that the plan was made from. */
  reading: string
}
