import type { Content, FieldChange } from '../../db/schema.ts'
import { isScalar, NAMES } from './content.ts'
import type { OwnFields } from './own-fields.ts'

/** Longer texts are not in the log, only that they changed: it is kept for each of thousands of edits. */
const MAX_LOGGED = 120

type State = Content & OwnFields

/**
 * The fields that differ between two states of a bundle, for its owner's log, in the order of the content, then those for its
 * owner alone; those that are one small value with what they were and are.
 * @param hasNewPassword whether it gets a password, which is not part of the content.
 */
export function changesIn(before: State, after: State, hasNewPassword: boolean): FieldChange[] {
  const names = [...NAMES, 'externalId', 'metadata'] as const
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const changes = changed.map((field): FieldChange => {
    const [from, to] = [before[field], after[field]]
    const isOne = field === 'externalId' || (field !== 'metadata' && isScalar(field))
    return isOne && isSmall(from) && isSmall(to) ? { field, from, to } : { field }
  })
  return hasNewPassword ? [...changes, { field: 'password' }] : changes
}

function isSmall(value: unknown): value is string | boolean | null {
  return typeof value === 'string' ? value.length <= MAX_LOGGED : typeof value === 'boolean' || value === null
}
