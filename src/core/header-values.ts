interface Bounds {
  /** The number of texts that are remembered. */
  values?: number
  /** Maximum characters read of a text. A longer one is not remembered, because its part would keep all of it in memory. */
  length?: number
}

/**
 * Caches the parsed values of headers by their text, because most have one of a few. Starts anew when full, which costs the
 * frequent ones one parse each, so that look-ups need not track an order.
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

/**
 * The values of a header such as Accept or Accept-Language, in its order, with their weights (RFC 9110, 12.4.2). The weight is 1
 * if there is none, and NaN, for which every comparison is false, if it is not a number.
 * @param weight matches the beginning of the parameter with the weight.
 */
export function weighted(header: string, weight = /^q=/): (readonly [value: string, weight: number])[] {
  return header.split(',').map((part) => {
    const [value = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const found = parameters.find((parameter) => weight.test(parameter))
    return [value, found === undefined ? 1 : Number(found.replace(weight, ''))]
  })
}

/** The weights of such a header's values, by value in lower case. */
export function parseAccept(header: string): Map<string, number> {
  return new Map(weighted(header.toLowerCase()))
}
