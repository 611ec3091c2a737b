// Of the two runtimes' British English one writes 1M and the other 1m.
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })
const percentage = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })

export { whole } from '../../src/core/words.ts'

/** `1.2M`, where there is little room. */
export function compact(number: number): string {
  return short.format(number)
}

/** `43.2%`, of 0.432. */
export function rate(part: number): string {
  return percentage.format(part)
}
