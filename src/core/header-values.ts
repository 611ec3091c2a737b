interface Bounds {
  /** How many texts are remembered. */
  values?: number
  /** How much of a text is read. A longer one is not remembered: its part would keep all of it in memory. */
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

  of(header: string): Value {
    if (header.length > this.#length) return this.read(header.slice(0, this.#length))
    let value = this.#known.get(header)
    if (value === undefined) {
      value = this.read(header)
      if (this.#known.size >= this.#values) this.#known.clear()
      this.#known.set(header, value)
    }
    return value
  }
}
