import type { Condition, Policy, Rule } from '../../db/policy.ts'
import type { RandomViewer } from './random.ts'

// A second, straightforward and slow implementation of the language, as a reference for the evaluator.

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The rule that a viewer matches. */
export function naiveMatch({ rules }: Policy, viewer: RandomViewer): Rule | null {
  return rules.find(({ when }) => naiveHolds(when, viewer)) ?? null
}

export function naiveHolds(condition: Condition, viewer: RandomViewer): boolean {
  if ('of' in condition) {
    const held = condition.of.map((part) => naiveHolds(part, viewer))
    return { and: !held.includes(false), or: held.includes(true), not: held[0] === false }[condition.op]
  }
  if (condition.op === 'signedIn') {
    return viewer.signedIn ?? (viewer.emailDomain !== undefined || viewer.orgRole !== undefined)
  }
  const now = new Date(viewer.now ?? Date.now())
  if (condition.op === 'before' || condition.op === 'after') {
    const isBefore = now.getTime() < new Date(condition.value).getTime()
    return isBefore === (condition.op === 'before')
  }
  if (condition.op === 'timeWindow') {
    const { days, from, to, timeZone } = condition
    // Such as `2026-03-29 01:59`, which sorts by time.
    const wall = now.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    const today = new Date(`${wall.slice(0, 10)}T00:00:00Z`)
    return [0, 1].some((daysAgo) => {
      const opens = new Date(today.getTime() - daysAgo * 86_400_000)
      const closes = new Date(opens.getTime() + (to > from ? 0 : 86_400_000))
      const at = (day: Date, time: string) => `${day.toISOString().slice(0, 10)} ${time}`
      const isDay = (days as string[]).includes(DAYS[opens.getUTCDay()]!)
      return isDay && wall >= at(opens, from) && wall < at(closes, to)
    })
  }
  if (condition.op === 'language') {
    const [tag, range] = [viewer.language, condition.value].map((text = '') => text.toLowerCase().split('-'))
    return viewer.language !== undefined && range!.every((part, at) => part === tag![at])
  }
  const { field } = condition
  const fact = field.startsWith('query.')
    ? viewer.query?.[field.slice(6)]
    : (viewer as Record<string, string | undefined>)[field]
  if (fact === undefined) return false
  const same = (value: string) => value.toLowerCase() === fact.toLowerCase()
  if (condition.op === 'exists') return true
  if (condition.op === 'in') return condition.values.some(same)
  const { value } = condition
  if (condition.op === 'equals') return same(value)
  if (condition.op === 'startsWith') return same(value + fact.slice(value.length)) && fact.length >= value.length
  const ends = fact.length >= value.length && same(fact.slice(0, fact.length - value.length) + value)
  if (condition.op === 'endsWith') return ends
  return Array.from(fact).some((_, at) => fact.slice(at, at + value.length).toLowerCase() === value.toLowerCase())
}
