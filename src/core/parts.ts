// Long answers are read and sent in parts, so that other requests are answered in between.

/** Maximum size of the entries in one message or read, in bytes: it takes some ten milliseconds. */
export const MAX_MESSAGE = 2 ** 20

/** An entry of a list, or a stand-in for it, with its size in the store. */
interface Sized {
  bytes: number
}

/** The number of entries that fit into one message; at least one, if there is any. Pure. */
export function fitting(entries: readonly Sized[]): number {
  let bytes = 0
  const past = entries.findIndex((entry, index) => (bytes += entry.bytes) > MAX_MESSAGE && index > 0)
  return past === -1 ? entries.length : past
}

/** Splits entries into pieces that each fit into one message, in order. Pure. */
export function* piecesOf<Entry extends Sized>(entries: readonly Entry[]): Generator<Entry[]> {
  for (let rest = entries; rest.length > 0; ) {
    const size = fitting(rest)
    yield rest.slice(0, size)
    rest = rest.slice(size)
  }
}

/** Minimum characters of a part, except the last: fewer, larger parts are sent faster. */
const PART = 2 ** 16

/**
 * An object as JSON, in parts: the same text as from `JSON.stringify`.
 * @param lists fields whose lists are written entry by entry, as entries are made; they come first.
 * @param rest the other fields.
 */
export async function* jsonParts(
  lists: Record<string, AsyncIterable<unknown> | Iterable<unknown>>,
  rest: object,
): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, entries] of Object.entries(lists)) {
    yield* listParts(`${separator}${JSON.stringify(name)}:`, entries)
    separator = ','
  }
  yield separator + JSON.stringify(rest).slice(1)
}

/** A list as JSON, in parts, after some other text. */
export async function* listParts(
  before: string,
  entries: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  let text = `${before}[`
  let separator = ''
  for await (const entry of entries) {
    text += separator + JSON.stringify(entry)
    separator = ','
    if (text.length < PART) continue
    yield text
    text = ''
  }
  yield `${text}]`
}
