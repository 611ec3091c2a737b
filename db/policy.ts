// The canonical form in which policies are stored. Defines the language’s names once: types
// derive from these lists, and each table keyed by one must be exhaustive.

/** The facts about a viewer that a condition can compare. */
export const FACTS = [
  'emailDomain',
  'orgRole',
  'language',
  'client',
  'device',
  'os',
  'browser',
  'country',
  'referrerDomain',
] as const
export type Fact = (typeof FACTS)[number]

/** What a condition can compare: a fact about the viewer, or a parameter of the link’s query. */
export type Field = Fact | `query.${string}`

/** Days of `timeWindow`, in ISO 8601 order. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Day = (typeof DAYS)[number]

/** Operators that combine conditions. */
export const GROUP_OPERATORS = ['and', 'or', 'not'] as const
export type GroupOperator = (typeof GROUP_OPERATORS)[number]

/** Operators that compare a field with strings. */
export const FIELD_OPERATORS = ['equals', 'in', 'startsWith', 'endsWith', 'contains', 'exists'] as const
export type FieldOperator = (typeof FIELD_OPERATORS)[number]

/** Operators that compare the current time with an instant. */
export const INSTANT_OPERATORS = ['before', 'after'] as const
export type InstantOperator = (typeof INSTANT_OPERATORS)[number]

/** Compares a field with a string, ignoring case. */
export interface Comparison {
  op: Exclude<FieldOperator, 'in' | 'exists'>
  field: Field
  value: string
}

/** Matches on given days between two wall-clock times. */
export interface TimeWindow {
  op: 'timeWindow'
  /** The days on which the window opens. */
  days: Day[]
  /** `HH:MM`, inclusive. */
  from: string
  /** `HH:MM`, exclusive; if not later than `from`, it is on the next day. */
  to: string
  /** An IANA zone. */
  timeZone: string
}

/** Compares the language of the viewer's browser by whole subtags (RFC 4647, basic filtering): `de` matches `de-AT`. */
interface LanguageRange {
  op: 'language'
  /** A language tag or the beginning of one: `fi`, `pt-BR`. */
  value: string
}

/** A condition without nested conditions. */
export type Leaf =
  | { op: 'signedIn' }
  | Comparison
  | { op: 'in'; field: Field; values: string[] }
  | { op: 'exists'; field: Field }
  | LanguageRange
  | { op: InstantOperator; field: 'now'; value: string }
  | TimeWindow

export type Condition = { op: GroupOperator; of: Condition[] } | Leaf

/** The conditions with one operator. */
export type ConditionOf<Op extends Condition['op'], Any extends Condition = Condition> = Any extends Condition
  ? Op extends Any['op']
    ? Any
    : never
  : never

/** A condition in which every node says whether it matched. */
export type Traced = { matched: boolean } & (Leaf | { op: GroupOperator; of: Traced[] })

/** A destination of a rule. */
export interface Tab {
  url: string
  note?: string
  /** Adjacent tabs with the same section share a heading. */
  section?: string
}

/** What a rule's tabs begin with: nothing, so that they replace the bundle's own, or those of the bundle. */
export const BASES = ['none', 'bundle'] as const
export type Base = (typeof BASES)[number]

/** Which viewers see which tabs. */
export interface Rule {
  /** `r_` and 10 base62 characters. */
  id: string
  name: string
  showBadge?: boolean
  when: Condition
  /** Absent for `none`. */
  base?: Base
  /** With the base `bundle`: the URLs of the bundle that these viewers do not get. */
  omit?: string[]
  /** Empty only with the base `bundle`. */
  tabs: Tab[]
}

export interface Policy {
  version: 1
  /** Tried in order; the first match wins. */
  rules: Rule[]
}
