/** @jsxImportSource @kitajs/html */

import { lazy } from '../../src/core/lazy.ts'
import { formatInteger } from '../../src/core/words.ts'
import { Each } from './layout.tsx'

export interface DayCount {
  /** `3 Sept`. */
  name: string
  count: number
  /** The count for display: `1,234`. */
  written: string
}

interface DayChartProps {
  /** The chart's heading: `Views per day`. */
  title: string
  /** Oldest first, at least one. */
  days: readonly DayCount[]
  /** Every nth day has a label, on wide and on narrow screens. */
  named: { wide: number; narrow: number }
  /** Whether the last day is today, which is not over yet. */
  isToday: boolean
}

// Heights in pixels, widths in percent, so that text keeps its size on a phone.
const TOP = 26
const BOTTOM = 166
const HEIGHT = 192
const TICKS = 3
/** With fewer days than this, bars are further apart. */
const FEW = 10
/** The smallest distance between the last two labels, as a share of the label interval. */
const APART = 0.75
/** Minimum height of a bar in pixels, so that small counts are visible. */
const LEAST = 2

/**
 * Counts by day as bars. Screen readers get one image with a summary; a table beside it has the numbers. Hovering over a bar or
 * tapping it shows its value, without a script.
 */
export function DayChart({ title, days, named, isToday }: DayChartProps): JSX.Element {
  const most = Math.max(1, ...days.map(({ count }) => count))
  const ticks = ticksUpTo(most)
  const y = (count: number) => BOTTOM - ((BOTTOM - TOP) * count) / ticks.at(-1)!
  const gap = days.length < FEW ? 0.5 : 0.25
  const step = 100 / (days.length - gap)
  const width = step * (1 - gap)
  const last = days.length - 1
  const isNamed = (at: number, interval: number) =>
    at === last || (at % interval === 0 && last - at >= interval * APART)
  return (
    <div class="chart" role="img" aria-label={summary(title, days, isToday)}>
      <svg class="scale" width="40" height={HEIGHT} aria-hidden="true">
        <Each
          of={ticks}
          show={(tick) => (
            <text x="34" y={rounded(y(tick) + 4)} safe>
              {compact(tick)}
            </text>
          )}
        />
      </svg>
      <svg class="bars" height={HEIGHT} aria-hidden="true">
        <Each of={ticks} show={(tick) => <line x2="100%" y1={rounded(y(tick))} y2={rounded(y(tick))} />} />
        <Each
          of={days}
          show={({ name, count, written }, at) => (
            <Bar
              left={at * step}
              width={width}
              step={step}
              top={count === 0 ? BOTTOM : Math.min(y(count), BOTTOM - LEAST)}
              label={`${isToday && at === last ? 'today so far' : name}: ${written}`}
              isUnfinished={isToday && at === last}
            />
          )}
        />
        <Each
          of={days}
          show={({ name }, at) => {
            if (!isNamed(at, named.wide)) return ''
            const anchor = at === last ? 'last' : at === 0 && 'first'
            const place = at === last ? 100 : at === 0 ? 0 : at * step + width / 2
            return (
              <text class={[anchor, !isNamed(at, named.narrow) && 'roomy']} x={percent(place)} y={HEIGHT - 8} safe>
                {isToday && at === last ? 'Today' : name}
              </text>
            )
          }}
        />
      </svg>
    </div>
  )
}

/** Round numbers from 0, evenly spaced; the last is at least `most`. */
function ticksUpTo(most: number): number[] {
  const roughly = roundStep(most / TICKS)
  const step = roundStep((Math.ceil(most / roughly) * roughly) / TICKS)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step)
}

/** The nearest of 1, 2, 5, 10, 20, …, by ratio. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  const share = (step / power) ** 2
  return Math.max(1, power * (share >= 50 ? 10 : share >= 10 ? 5 : share >= 2 ? 2 : 1))
}

interface BarProps {
  left: number
  width: number
  step: number
  top: number
  label: string
  /** Whether the bar's day is not over yet. */
  isUnfinished: boolean
}

function Bar({ left, width, step, top, label, isUnfinished }: BarProps): JSX.Element {
  return (
    <g class={isUnfinished ? 'column unfinished' : 'column'}>
      <rect class="hit" x={percent(left)} width={percent(step)} height={BOTTOM} />
      {top !== BOTTOM && (
        <rect x={percent(left)} width={percent(width)} y={rounded(top)} height={rounded(BOTTOM - top)} />
      )}
      <text x="100%" y="14" safe>
        {label}
      </text>
    </g>
  )
}

interface ShareProps {
  /** From 0 to 1. */
  share: number
  /** The hue of the site. */
  hue?: string | undefined
}

/** A bar behind a name; its number is beside it. */
export function Share({ share, hue }: ShareProps): JSX.Element {
  return (
    <svg class={['share', hue]} aria-hidden="true">
      {share !== 0 && <rect width={percent(100 * share)} height="100%" rx="7" />}
    </svg>
  )
}

function summary(title: string, days: readonly DayCount[], isToday: boolean): string {
  const total = days.reduce((sum, { count }) => sum + count, 0)
  const most = days.reduce((one, other) => (other.count > one.count ? other : one))
  const [first] = days
  const label = `${title}, ${first?.name} to ${isToday ? 'today' : days.at(-1)?.name}: ${formatInteger(total)} in all`
  return total === 0 ? `${label}.` : `${label}; most on ${most.name}, ${most.written}.`
}

function percent(part: number): string {
  return `${rounded(part)}%`
}

function rounded(length: number): number {
  return Math.round(length * 100) / 100
}

// US English, because runtimes disagree about British English: 1M or 1m.
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
