const MAX_CACHED = 1_000
/** Cache keys need a bound; what follows is not read. */
const MAX_LENGTH = 280

/**
 * What headers say, by their text, because most are one of a few. Starts anew when full, which costs those few one
 * reading each, so that no lookup need keep an order.
 */
export class HeaderValues {
  readonly #known = new Map<string, string>()

  constructor(readonly read: (header: string) => string) {}

  /** The value of a header. */
  of(header: string): string {
    const key = header.length > MAX_LENGTH ? header.slice(0, MAX_LENGTH) : header
    let value = this.#known.get(key)
    if (value === undefined) {
      value = this.read(key)
      if (this.#known.size >= MAX_CACHED) this.#known.clear()
      this.#known.set(key, value)
    }
    return value
  }
}
