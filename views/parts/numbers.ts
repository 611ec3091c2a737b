import { lazy } from '../../src/core/lazy.ts'

// US English, because the runtimes disagree about British English: 1M or 1m.
const short = lazy(() => new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }))
const percentage = lazy(() => new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 }))

export { formatInteger } from '../../src/core/words.ts'

/** `1.2M`, for narrow places. */
export function compact(number: number): string {
  return short().format(number)
}

/** `43.2%` for 0.432. */
export function rate(part: number): string {
  return percentage().format(part)
}
