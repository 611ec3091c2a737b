import type { ImportPlan } from '../../../src/imports/plan.ts'

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
  /** The selection: `3` is a bundle of the plan, `3.7` one of its links. */
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
