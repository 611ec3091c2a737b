import type { ImportPlan } from '../../../src/imports/import.ts'

/** What is about to be imported, as it was sent. */
export interface ImportForm {
  text: string
  /** What is wrong with the text as a whole. */
  error: string | null
  /** What the text would make; null before it is read. */
  plan: ImportPlan | null
  /** Of each bundle of the plan, as it was typed. */
  titles: string[]
  /** What is wanted: `3` is a bundle of the plan, `3.7` a link of it. */
  ticked: ReadonlySet<string>
  /** What is wrong with a bundle, by its index. */
  errors: ReadonlyMap<number, string>
  /** What keeps any bundle from being made. */
  refused: string | null
  /** So that a second press or a reload makes nothing twice. */
  idempotencyKey: string
  /** Tells the text that the plan was made of. */
  reading: string
}
