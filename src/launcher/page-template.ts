import { randomBytes } from 'node:crypto'
import { escapeHtml } from '@kitajs/html'
import type { Variable } from '../../db/schema.ts'
import { type FixedLink, fixedLink } from '../core/fixed-links.js'
import { encodeValue, type Filling, type Values } from '../core/template.js'

// A filled page is rendered once, with marks for values, and cut at the marks. Each further page is only concatenated, which
// takes a tenth of the time.

/** A secret of this process, so that no text of a bundle contains a mark by chance or on purpose. */
const NONCE = randomBytes(12).toString('hex')
/** Stands for a form's carried parameters, for all values. */
export const CARRIED_MARK = `<!--${NONCE}-->`
/** Matches a mark in a text, or in a link, where its brackets are encoded; or an attribute that marks the chosen option. */
const MARKS = new RegExp(` data-chosen="${NONCE}(\\d)-(\\d+)"|(\\(|%28)${NONCE}(\\d)(?:\\)|%29)|${CARRIED_MARK}`)

/** The filling for rendering a page that is to be cut. */
export function markedFilling(variables: readonly Pick<Variable, 'name'>[]): Filling {
  const values: Values = Object.assign(
    Object.create(null),
    Object.fromEntries(variables.map(({ name }, at) => [name, `(${NONCE}${at})`])),
  )
  return { values, missing: [], invalid: [], sent: values }
}

/** The mark of an option in a page that is to be cut; null in any other page, where the value itself decides. */
export function optionMark(value: string | undefined, option: number): string | null {
  const [, at] = /^\((?:[0-9a-f]{24})(\d)\)$/.exec(value ?? '') ?? []
  return at === undefined || value !== `(${NONCE}${at})` ? null : `${NONCE}${at}-${option}`
}

interface Slot {
  /** The index of its variable. */
  at: number
  /**
   * `link`: encoded; `text`: escaped; a number: the index of the chosen option, for an attribute. `carried` belongs to no
   * variable.
   */
  as: 'link' | 'text' | 'carried' | number
}

/** A page with slots for values. */
export class PageTemplate {
  readonly #texts: string[] = []
  readonly #slots: Slot[] = []
  /** Checked by `checkLinks` for each viewer. */
  readonly links: readonly FixedLink[]
  /** Its approximate size in memory. */
  readonly byteLength: number

  /**
   * @param html rendered with `markedFilling`.
   * @param links whose filled form must be checked with each value.
   */
  constructor(
    html: string,
    readonly variables: readonly Variable[],
    links: readonly string[],
  ) {
    this.links = links.map(fixedLink)
    this.byteLength = 2 * html.length
    const parts = html.split(MARKS)
    for (let from = 0; from < parts.length; from += 5) {
      this.#texts.push(parts[from] ?? '')
      const [, chosen, option, bracket, place] = parts.slice(from, from + 5)
      if (chosen !== undefined) this.#slots.push({ at: Number(chosen), as: Number(option) })
      else if (place !== undefined) this.#slots.push({ at: Number(place), as: bracket === '(' ? 'text' : 'link' })
      else if (from + 5 < parts.length) this.#slots.push({ at: 0, as: 'carried' })
    }
  }

  /**
   * The page with these values, which must be complete.
   * @param carried replaces `CARRIED_MARK`.
   */
  fill(values: Values, carried: string): string {
    const own = this.variables.map(({ name, options = [] }) => {
      const value = values[name] ?? ''
      return { text: escapeHtml(value), link: encodeValue(value), carried, option: options.indexOf(value) }
    })
    let html = this.#texts[0] ?? ''
    for (const [index, { at, as }] of this.#slots.entries()) {
      const value = own[at]
      if (value !== undefined) html += typeof as === 'number' ? (value.option === as ? ' selected' : '') : value[as]
      html += this.#texts[index + 1] ?? ''
    }
    return html
  }
}
