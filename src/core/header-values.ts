interface Bounds {
  /** How many texts are remembered. */
  values?: number
  /** Keys need a bound; what follows is not read. */
  length?: number
}

/**
 * What headers say, by their text, because most are one of a few. Starts anew when full, which costs those few one
 * reading each, so that no lookup need keep an order.
 */
export class HeaderValues<Value extends string | object | null> {
  readonly #known = new Map<string, Value>()
  readonly #values: number
  readonly #length: number

  constructor(
    readonly read: (header: string) => Value,
    { values = 1_000, length = 280 }: Bounds = {},
  ) {
    this.#values = values
    this.#length = length
  }

  /** The value of a header. */
  of(header: string): Value {
    const key = header.length > this.#length ? header.slice(0, this.#length) : header
    let value = this.#known.get(key)
    if (value === undefined) {
      value = this.read(key)
      if (this.#known.size >= this.#values) this.#known.clear()
      this.#known.set(key, value)
    }
    return value
  }
}
