/**
 * Does some work at once, and has the rest wait for its turn: whoever has more of it than others waits longer, not they.
 * @param places how much is done at once.
 * @param each how much of one, at most.
 */
export class FairTurns {
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  /** What waits, by whose it is; whoever has just had a turn is the last. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(
    readonly places: number,
    readonly each: number,
  ) {}

  /** How much waits, of all together. */
  get waiting(): number {
    return this.#waiting.values().reduce((sum, { length }) => sum + length, 0)
  }

  /** How much of one is being done, or waits. */
  countOf(whose: string): number {
    return (this.#takenBy.get(whose) ?? 0) + (this.#waiting.get(whose)?.length ?? 0)
  }

  /** The result of some work, once it has had its turn. @param whose such as an account. */
  async run<T>(whose: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(whose)) this.#begin(whose)
    else await this.#turnOf(whose)
    try {
      return await work()
    } finally {
      this.#end(whose)
    }
  }

  #mayBegin(whose: string): boolean {
    return this.#taken < this.places && (this.#takenBy.get(whose) ?? 0) < this.each
  }

  #begin(whose: string): void {
    this.#taken += 1
    this.#takenBy.set(whose, (this.#takenBy.get(whose) ?? 0) + 1)
  }

  #turnOf(whose: string): Promise<void> {
    return new Promise((begin) => {
      const own = this.#waiting.get(whose)
      if (own === undefined) this.#waiting.set(whose, [begin])
      else own.push(begin)
    })
  }

  #end(whose: string): void {
    this.#taken -= 1
    const left = (this.#takenBy.get(whose) ?? 1) - 1
    if (left === 0) this.#takenBy.delete(whose)
    else this.#takenBy.set(whose, left)
    for (const [next, own] of this.#waiting) {
      if (!this.#mayBegin(next)) continue
      const begin = own.shift()
      this.#waiting.delete(next)
      if (own.length > 0) this.#waiting.set(next, own)
      this.#begin(next)
      begin?.()
      return
    }
  }
}
