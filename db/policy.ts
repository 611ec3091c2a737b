// The stored form of a policy (spec 2.3, decisions 6): what parsing makes of every way to write one.

/** What a condition may ask of a viewer, beside the time. */
export type Field =
  | 'emailDomain'
  | 'orgRole'
  | 'language'
  | 'device'
  | 'os'
  | 'browser'
  | 'country'
  | 'referrerDomain'
  | `query.${string}`

export type Day = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'

/** Compares one fact about the viewer with one text, whatever their case. */
export interface Comparison {
  op: 'equals' | 'startsWith' | 'endsWith' | 'contains'
  field: Field
  value: string
}

/** Holds on some days between two times of a wall clock. */
export interface TimeWindow {
  op: 'timeWindow'
  /** The days on which the window opens. */
  days: Day[]
  /** `HH:MM`, from which on. */
  from: string
  /** `HH:MM`, until which; not later than `from`: on the next day. */
  to: string
  /** An IANA zone. */
  timeZone: string
}

/** A condition that holds no other. */
export type Leaf =
  | { op: 'signedIn' }
  | Comparison
  | { op: 'in'; field: Field; values: string[] }
  | { op: 'exists'; field: Field }
  | { op: 'before' | 'after'; field: 'now'; value: string }
  | TimeWindow

export type Condition = { op: 'and' | 'or' | 'not'; of: Condition[] } | Leaf

/** A condition with what it came to, at each of its nodes. */
export type Traced = { matched: boolean } & (Leaf | { op: 'and' | 'or' | 'not'; of: Traced[] })

/** One destination of a rule. */
export interface Tab {
  url: string
  note?: string
}

/** Who sees which tabs in place of the bundle's own. */
export interface Rule {
  /** `r_` and 10 base62. */
  id: string
  name: string
  showBadge?: boolean
  when: Condition
  tabs: Tab[]
}

export interface Policy {
  version: 1
  /** Tried in order; the first that holds wins. */
  rules: Rule[]
}
