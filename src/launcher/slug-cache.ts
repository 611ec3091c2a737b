/** A cached value. */
export interface CacheEntry {
  readonly slug: string
  /** Whether it was used since the clock hand last passed it. */
  wasUsed: boolean
  /** Its index in the cache. */
  at: number
  /** Its size in bytes when last weighed. */
  weight: number
}

/**
 * A cache by slug, bounded in bytes. Evicts by the clock algorithm (second chance), which approximates LRU without
 * writing to memory on most reads.
 */
export class SlugCache<Value extends CacheEntry> {
  readonly #bySlug = new Map<string | number, Value>()
  readonly #all: Value[] = []
  #hand = 0
  #weight = 0

  constructor(readonly maxWeight: number) {}

  /** The value for the slug in `text` from `from` to `to`, if cached. */
  get(text: string, from = 0, to = text.length): Value | undefined {
    const value = this.#bySlug.get(keyOf(text, from, to))
    if (value !== undefined && !value.wasUsed) value.wasUsed = true
    return value
  }

  /** Caches a value, replaces any other with its slug, and evicts others to make room. */
  set(value: Value): void {
    this.delete(value.slug)
    this.#bySlug.set(keyOf(value.slug), value)
    value.at = this.#all.push(value) - 1
    value.wasUsed = true
    this.#weight += value.weight
    this.#makeRoom()
  }

  /** Changes the weight of a value, which may have been evicted. */
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
      if (value.wasUsed) {
        value.wasUsed = false
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

/** The length of generated slugs; 38^10 fits in 53 bits. */
const LONGEST_NUMBER = 10

/**
 * Encodes a short slug as a unique number, because a `Map` finds numbers without dereferencing a string: one cache miss
 * less. Reads the slug in place, because a substring would cost another.
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

/** From 1 to 37; 0 for a character that generated slugs do not have. */
function digitOf(unit: number): number {
  if (unit >= 97 && unit <= 122) return unit - 96
  if (unit >= 48 && unit <= 57) return unit - 21
  return unit === 45 ? 37 : 0
}
