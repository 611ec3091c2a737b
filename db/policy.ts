// The stored form of a policy (spec 2.3, decisions 6): what parsing makes of every way to write one. The names of the
// language stand here and nowhere else: types come from these lists, and what is keyed by one must know all of it.

/** The facts about a viewer that a condition may compare. */
export const FACTS = [
  'emailDomain',
  'orgRole',
  'language',
  'device',
  'os',
  'browser',
  'country',
  'referrerDomain',
] as const
export type Fact = (typeof FACTS)[number]

/** What a condition may compare: a fact about the viewer, or a value in the query of the link. */
export type Field = Fact | `query.${string}`

/** The days of `timeWindow`, as weeks begin in ISO 8601. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Day = (typeof DAYS)[number]

/** Operators that combine conditions. */
export const GROUP_OPERATORS = ['and', 'or', 'not'] as const
export type GroupOperator = (typeof GROUP_OPERATORS)[number]

/** Operators that compare one field with texts. */
export const FIELD_OPERATORS = ['equals', 'in', 'startsWith', 'endsWith', 'contains', 'exists'] as const
export type FieldOperator = (typeof FIELD_OPERATORS)[number]

/** Operators that compare the time with another. */
export const INSTANT_OPERATORS = ['before', 'after'] as const
export type InstantOperator = (typeof INSTANT_OPERATORS)[number]

/** Compares one field with one text, whatever their case. */
export interface Comparison {
  op: Exclude<FieldOperator, 'in' | 'exists'>
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
  | { op: InstantOperator; field: 'now'; value: string }
  | TimeWindow

export type Condition = { op: GroupOperator; of: Condition[] } | Leaf

/** The conditions of one operator. */
export type ConditionOf<Op extends Condition['op'], Any extends Condition = Condition> = Any extends Condition
  ? Op extends Any['op']
    ? Any
    : never
  : never

/** A condition with whether it held, at each of its nodes. */
export type Traced = { matched: boolean } & (Leaf | { op: GroupOperator; of: Traced[] })

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
