import { type Type, type } from 'arktype'
import { lazy } from './lazy.ts'
import { invalid, type Problem } from './problem.ts'
import { type Checked, object, refuse, refusing, says } from './shape.ts'

// Cursors of lists: the sort key of a page's last entry. They stay valid while entries are added to the list and
// removed from it.

/** The longest title has four bytes a character, and base64 takes four characters for three. */
const MAX_LENGTH = 2_000
const PATTERN = /^[A-Za-z0-9_-]+$/

const EXAMPLE = 'WzQyXQ'

/** `cursor` of a query. */
export const Cursor = says(
  type('string').narrow(
    refusing({ maxLength: MAX_LENGTH, pattern: PATTERN.source }, (text: string) =>
      text.length <= MAX_LENGTH && PATTERN.test(text) ? null : { code: 'not_a_cursor' },
    ),
  ),
  'The `nextCursor` of the page before.',
  EXAMPLE,
)

/** `nextCursor` of an answer. */
export const NextCursor = says('string', 'The `cursor` of the next page; missing on the last.', EXAMPLE)

/** The query fields of a list that is sent whole by default. */
export const part = {
  'limit?': says('1 <= number.integer <= 100', 'At most so many.', 20),
  'cursor?': Cursor,
} as const
export const Part = object(part)
export type Part = typeof Part.infer

/** Refuses a cursor together with an offset: both set the start of the page. */
export const isOnePlace = ({ cursor, offset = 0 }: { cursor?: string; offset?: number }, ctx: Checked) =>
  cursor === undefined || offset === 0 || refuse(ctx, { code: 'beside_cursor' }, 'offset')

/** The key of a page’s last entry as a cursor. */
export function cursorOf(key: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/**
 * The key in a cursor; null without one.
 * @param shape of this list's keys.
 * @throws Problem BAD_REQUEST for a cursor of another list.
 */
export function keyIn<Key>(cursor: string | undefined, shape: Type<Key>): Key | null {
  if (cursor === undefined) return null
  let key: unknown
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw noCursor()
  }
  // libSQL accepts no text with NUL, and no stored text contains one.
  if (!shape.allows(key) || (Array.isArray(key) && key.some((part) => String(part).includes('\0')))) throw noCursor()
  return key as Key
}

/** The error for a cursor of another list. */
export function noCursor(): Problem {
  return invalid([{ path: ['cursor'], reason: { code: 'not_a_cursor' } }])
}

/** Keys of lists ordered by a number, such as their ids. */
export const NumberKey = type(['number.integer']) as Type<[number]>
/** Keys of lists ordered by time, then by id. */
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

// Lists that are read page by page.

const LIMIT = ['At most so many.', 20] as const
const OFFSET = ['How many to skip.', 0] as const

/** The maximum number of entries on a page, in a query. */
export function limitOf(most: number, usual: number) {
  return says(`1 <= number.integer <= ${most}`, ...LIMIT).default(usual)
}

/** The number of entries to skip, in a query. */
export const Offset = says('0 <= number.integer <= 1000000000', ...OFFSET).default(0)

/** The position of a page in a list. */
export interface Paged {
  pagination: { limit: number; offset: number }
  /** Whether there are entries after this page. */
  hasMore: boolean
  /** The cursor of the next page, if the request had a cursor. */
  after?: string | undefined
}

/** `pagination` of an answer. */
export const Pagination = lazy(() =>
  says(
    object({ limit: says('number.integer', ...LIMIT), offset: says('number.integer', ...OFFSET) }),
    'The requested page.',
    { limit: 20, offset: 0 },
  ),
)

export const HasMore = says('boolean', 'Whether there are more after these.', false)

/** The query fields of the page after this one; null if it is the last. */
export function nextPage({
  pagination: { limit, offset },
  hasMore,
  after,
}: Paged): Readonly<Record<string, number | string>> | null {
  if (after !== undefined) return { limit, cursor: after }
  return hasMore ? { limit, offset: offset + limit } : null
}
