import { formatInteger, rate } from '../../parts/numbers.ts'

/** Past this, a percentage says less than the number before. */
const MAX_PERCENT = 999

/** How a total differs from the one of as many days before. */
export function changeOf(now: number, before: number, days: number): string {
  const period = `the previous ${days} days`
  if (before === 0) return `None in ${period}`
  const percent = Math.round((100 * (now - before)) / before)
  if (percent > MAX_PERCENT) return `${formatInteger(before)} in ${period}`
  if (percent === 0) return `${now === before ? 'Same as' : 'About the same as'} ${period}`
  return `${percent > 0 ? '+' : '−'}${rate(Math.abs(percent) / 100)} from ${period}`
}

/** A rate of as many days before; a percentage of a percentage would mislead. */
export function rateBefore({ views, openAllRate }: { views: number; openAllRate: number }, days: number): string {
  return views === 0 ? `None in the previous ${days} days` : `${rate(openAllRate)} in the previous ${days} days`
}
