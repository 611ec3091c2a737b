import { MAX_VALUE } from '../core/template.js'
import { MAX_EMAIL, MAX_URL } from '../core/text.ts'

/** Limits of a bundle’s fields, in Unicode code points or entries. */
export const BOUNDS = {
  urls: 25,
  url: MAX_URL,
  title: 200,
  description: 2000,
  closedNote: 500,
  password: 128,
  /** How far a copy moves times: ten years. */
  shiftDays: 3660,
  note: 500,
  section: 60,
  tags: 10,
  tag: 40,
  variables: 5,
  /** Placeholders in a text or link. */
  placeholders: 10,
  /** Those that one viewer sees: in the title, the description, and a list of links with its notes and sections. */
  placeholdersSeen: 100,
  variableLabel: 60,
  variableExample: 100,
  variableDefault: MAX_VALUE,
  options: 50,
  option: 100,
  externalId: 128,
  metadataKeys: 50,
  metadataValue: 500,
  /** Bundles that one call creates or edits. */
  bulk: 100,
  /** Entries on a page of a list. */
  page: 100,
  email: MAX_EMAIL,
} as const
