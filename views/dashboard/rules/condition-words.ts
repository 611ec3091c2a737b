import type { Condition, Field } from '../../../db/policy.ts'
import { listed } from '../../../src/core/words.ts'
import { DAY_NAMES, VERBS } from './words.ts'

const FIELDS: Record<string, string> = {
  emailDomain: 'e-mail domain',
  orgRole: 'role',
  language: 'language',
  device: 'device',
  os: 'system',
  browser: 'browser',
  country: 'country',
  referrerDomain: 'referring site',
}

const COMPARED = { equals: 'is', ...VERBS } as const

/** A condition as people say it: `signed in and (country is “DE” or “AT”)`. Plain text, to be escaped. */
export function conditionWords(condition: Condition): string {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of
        .map((part) => (condition.of.length > 1 ? nested(part) : conditionWords(part)))
        .join(` ${condition.op} `)
    case 'not':
      return `not ${condition.of.map((part) => `(${conditionWords(part)})`).join('')}`
    case 'signedIn':
      return 'signed in'
    case 'in':
      return `${fieldName(condition.field)} is ${listed(condition.values.map(quoted), 'or')}`
    case 'exists':
      return `${fieldName(condition.field)} is known`
    case 'before':
    case 'after':
      return `${condition.op} ${condition.value}`
    case 'timeWindow': {
      const { days, from, to, timeZone } = condition
      return `on ${listed(
        days.map((day) => `${DAY_NAMES[day]}s`),
        'and',
      )} from ${from} to ${to} (${timeZone})`
    }
    default:
      return `${fieldName(condition.field)} ${COMPARED[condition.op]} ${quoted(condition.value)}`
  }
}

/** In brackets where it is made of several, so that what belongs together is plain. */
function nested(condition: Condition): string {
  const words = conditionWords(condition)
  const isSeveral = (condition.op === 'and' || condition.op === 'or') && condition.of.length > 1
  return isSeveral ? `(${words})` : words
}

function fieldName(field: Field): string {
  return FIELDS[field] ?? `?${field.slice('query.'.length)}`
}

function quoted(text: string): string {
  return `“${text}”`
}
