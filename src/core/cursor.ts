import { type Type, type } from 'arktype'
import { invalid, type Problem } from './problem.ts'
import { type Checked, refuse, refusing } from './shape.ts'

// Cursors of lists: where a page ended, by what the list is ordered by. They hold of a list to which entries are added, and from
// which they are removed, in between.

/** A title of the longest has four bytes a character, and base64 takes four characters for three. */
const MAX_LENGTH = 2_000
const PATTERN = /^[A-Za-z0-9_-]+$/

/** `cursor` of a query. */
export const Cursor = type('string').narrow(
  refusing({ maxLength: MAX_LENGTH, pattern: PATTERN.source }, (text: string) =>
    text.length <= MAX_LENGTH && PATTERN.test(text) ? null : { code: 'not_a_cursor' },
  ),
)

/** The query of a list that is sent whole unless a part of it is asked for. */
export const part = { 'limit?': '1 <= number.integer <= 100', 'cursor?': Cursor } as const
export const Part = type({ ...part, '+': 'reject' })
export type Part = typeof Part.infer

/** A cursor and a number of entries to skip are two ways to say the same. */
export const isOnePlace = ({ cursor, offset = 0 }: { cursor?: string; offset?: number }, ctx: Checked) =>
  cursor === undefined || offset === 0 || refuse(ctx, { code: 'beside_cursor' }, 'offset')

/** The key of a page’s last entry as a cursor. */
export function cursorOf(key: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/**
 * The key in a cursor; null without one.
 * @param shape of the keys of this list.
 * @throws Problem BAD_REQUEST for one of another list.
 */
export function keyIn<Key>(cursor: string | undefined, shape: Type<Key>): Key | null {
  if (cursor === undefined) return null
  let key: unknown
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw noCursor()
  }
  // libSQL takes no text with NUL, and nothing that was stored has one.
  if (!shape.allows(key) || (Array.isArray(key) && key.some((part) => String(part).includes('\0')))) throw noCursor()
  return key as Key
}

/** The error for a cursor of another list. */
export function noCursor(): Problem {
  return invalid([{ path: ['cursor'], reason: { code: 'not_a_cursor' } }])
}

/** Keys of lists in the order of a number, such as their ids. */
export const NumberKey = type(['number.integer']) as Type<[number]>
/** Keys of lists in the order of times, then of ids. */
export const TimeKey = type(['number.integer', 'string']) as Type<[at: number, id: string]>

/** `nextCursor` of the answer, missing on the last page. */
export function nextCursor<Entry>(
  page: readonly Entry[],
  hasMore: boolean,
  keyOf: (entry: Entry) => readonly unknown[],
): { nextCursor?: string } {
  const last = page.at(-1)
  return hasMore && last !== undefined ? { nextCursor: cursorOf(keyOf(last)) } : {}
}
