import type { Condition, Day, Field, Policy, Rule } from '../../db/policy.ts'

/** A viewer in the form of `policy/preview`. */
export interface RandomViewer {
  signedIn?: boolean
  emailDomain?: string
  orgRole?: 'viewer' | 'editor' | 'admin'
  language?: string
  client?: 'browser' | 'agent' | 'script'
  device?: 'desktop' | 'mobile' | 'tablet'
  os?: string
  browser?: string
  country?: string
  query?: Record<string, string>
  referrerDomain?: string
  now?: string
}

/** Values that are equal, in different cases, or parts of each other, so that conditions match often. */
const VALUES: Record<string, readonly string[]> = {
  emailDomain: ['acme.com', 'ACME.com', 'mail.acme.com', 'notacme.com', 'uni.edu'],
  orgRole: ['viewer', 'editor', 'admin'],
  language: ['de', 'de-DE', 'en', 'en-GB', 'DE-at'],
  client: ['browser', 'agent', 'script'],
  device: ['desktop', 'mobile', 'tablet'],
  os: ['windows', 'macos', 'ios', 'android', 'linux'],
  browser: ['chrome', 'firefox', 'safari', 'edge'],
  country: ['DE', 'de', 'FR', 'US'],
  referrerDomain: ['news.example', 'www.news.example', 'acme.com'],
  'query.ref': ['', 'a', 'ab', 'B'],
  'query.utm_campaign': ['launch', 'Launch Day', 'x'],
}
export const QUERY_NAMES = ['ref', 'utm_campaign']
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia']
const DAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const HOUR_MS = 3_600_000
const FROM = Date.UTC(2026, 0, 1)

/** Random policies and viewers, reproducible from a seed. */
export class RandomPolicies {
  constructor(
    readonly next: () => number,
    /** The fields that conditions and viewers use. */
    readonly fields: readonly string[] = Object.keys(VALUES),
    /** Whether conditions depend on time. */
    readonly time: 'timed' | 'timeless' = 'timed',
  ) {}

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!
  }

  policy(most = 8): Policy {
    const rules = Array.from({ length: 1 + Math.floor(this.next() * most) }, (_, index): Rule => {
      const tabs = [{ url: `https://rule-${index}.example/` }]
      return { id: `r_${`${index}`.padStart(10, '0')}`, name: `rule ${index}`, when: this.condition(0), tabs }
    })
    return { version: 1, rules }
  }

  condition(depth: number): Condition {
    const roll = this.next()
    if (depth < 4 && roll < 0.4) {
      const op = this.pick(['and', 'or', 'not'] as const)
      const parts = op === 'not' ? 1 : 1 + Math.floor(this.next() * 3)
      return { op, of: Array.from({ length: parts }, () => this.condition(depth + 1)) }
    }
    if (this.time === 'timed' && roll > 0.85) return this.#timed()
    if (roll > 0.8 && this.fields.includes('emailDomain')) return { op: 'signedIn' }
    return this.#compared()
  }

  #timed(): Condition {
    const op = this.pick(['before', 'after', 'timeWindow'] as const)
    if (op !== 'timeWindow') return { op, field: 'now', value: this.#instant() }
    const days = DAYS.filter(() => this.next() < 0.5)
    const time = () => `${`${Math.floor(this.next() * 24)}`.padStart(2, '0')}:${this.pick(['00', '30', '59'])}`
    const to = this.next() < 0.1 ? '24:00' : time()
    return { op, days: days.length === 0 ? ['mon'] : days, from: time(), to, timeZone: this.pick(ZONES) }
  }

  #compared(): Condition {
    const field = this.pick(this.fields) as Field
    const text = () => this.pick(VALUES[field] ?? [])
    const piece = () => {
      const whole = text() || 'a'
      const from = Math.floor(this.next() * whole.length)
      return whole.slice(from, from + 1 + Math.floor(this.next() * 5))
    }
    if (field === 'language' && this.next() < 0.4)
      return { op: 'language', value: this.pick(['de', 'DE-at', 'en', 'en-gb']) }
    const op = this.pick(['equals', 'in', 'startsWith', 'endsWith', 'contains', 'exists'] as const)
    if (op === 'exists') return { op, field }
    if (op === 'in') return { op, field, values: [text(), text()] }
    return { op, field, value: op === 'equals' ? text() : piece() }
  }

  viewer(): RandomViewer {
    const facts: Record<string, unknown> = {}
    const query: Record<string, string> = {}
    for (const field of this.fields) {
      if (this.next() < 0.35) continue
      const value = this.pick(VALUES[field] ?? [])
      if (field.startsWith('query.')) query[field.slice('query.'.length)] = value
      else facts[field] = value
    }
    if (Object.keys(query).length > 0) facts.query = query
    if (this.fields.includes('emailDomain') && this.next() < 0.5) facts.signedIn = this.next() < 0.5
    return this.time === 'timed' ? { ...facts, now: this.#instant() } : facts
  }

  /** Of two years, often on the half hour. */
  #instant(): string {
    const step = this.next() < 0.5 ? HOUR_MS / 2 : 1000
    return new Date(FROM + Math.floor((this.next() * 2 * 365 * 24 * HOUR_MS) / step) * step).toISOString()
  }
}
