/** What is kept under a slug. */
export interface Kept {
  readonly slug: string
  /** Whether it was asked for since the cache last looked for something to let go. */
  wasAsked: boolean
  /** Its place in the cache. */
  at: number
  /** What it takes, in bytes, as it was last weighed. */
  weight: number
}

/**
 * A cache by slug with a bound in bytes. Of what was not asked for lately, something goes first ("clock"): which is as
 * good as the least recently used, but asking moves nothing about in memory.
 */
export class KeptBySlug<Value extends Kept> {
  readonly #bySlug = new Map<string | number, Value>()
  readonly #all: Value[] = []
  #hand = 0
  #weight = 0

  constructor(readonly maxWeight: number) {}

  /** What is kept under the slug that stands in `text` between `from` and `to`. */
  get(text: string, from = 0, to = text.length): Value | undefined {
    const value = this.#bySlug.get(keyOf(text, from, to))
    if (value !== undefined && !value.wasAsked) value.wasAsked = true
    return value
  }

  /** Keeps a value in place of what was kept under its slug; others go to make room. */
  set(value: Value): void {
    this.delete(value.slug)
    this.#bySlug.set(keyOf(value.slug), value)
    value.at = this.#all.push(value) - 1
    value.wasAsked = true
    this.#weight += value.weight
    this.#makeRoom()
  }

  /** Gives a value another weight, if it is still kept. */
  weigh(value: Value, weight: number): void {
    if (this.#all[value.at] === value) this.#weight += weight - value.weight
    value.weight = weight
    this.#makeRoom()
  }

  delete(slug: string): void {
    const value = this.#bySlug.get(keyOf(slug))
    if (value !== undefined) this.#remove(value)
  }

  clear(): void {
    this.#bySlug.clear()
    this.#all.length = 0
    this.#weight = 0
  }

  #makeRoom(): void {
    while (this.#weight > this.maxWeight) {
      if (this.#hand >= this.#all.length) this.#hand = 0
      const value = this.#all[this.#hand]
      if (value === undefined) return
      if (value.wasAsked) {
        value.wasAsked = false
        this.#hand += 1
      } else this.#remove(value)
    }
  }

  #remove(value: Value): void {
    const last = this.#all.pop()
    if (last !== undefined && last !== value) {
      this.#all[value.at] = last
      last.at = value.at
    }
    this.#bySlug.delete(keyOf(value.slug))
    this.#weight -= value.weight
  }
}

/** As long as the slugs that the service makes: 38 to the tenth is less than 2 to the 53rd. */
const LONGEST_NUMBER = 10

/**
 * A slug as a number where it fits in one, each slug another: a `Map` finds a number without going to look at a text,
 * which is one wait for memory less. It is read where it stands, for a text of its own would be another.
 */
function keyOf(text: string, from = 0, to = text.length): string | number {
  if (to - from > LONGEST_NUMBER) return text.slice(from, to)
  let key = 0
  for (let at = from; at < to; at += 1) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit === 0) return text.slice(from, to)
    key = key * 38 + digit
  }
  return key
}

/** From 1 on; 0 for what no number is made of. */
function digitOf(unit: number): number {
  if (unit >= 97 && unit <= 122) return unit - 96
  if (unit >= 48 && unit <= 57) return unit - 21
  return unit === 45 ? 37 : 0
}
