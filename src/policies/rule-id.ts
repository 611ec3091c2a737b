import { randomBase62 } from '../core/secrets.ts'

const RANDOM_LENGTH = 10

export const RULE_ID = /^r_[0-9A-Za-z]{10}$/

/** Whether a text has that format. */
export function isRuleId(text: string): boolean {
  return RULE_ID.test(text)
}

export function newRuleId(): string {
  return `r_${randomBase62(RANDOM_LENGTH)}`
}
