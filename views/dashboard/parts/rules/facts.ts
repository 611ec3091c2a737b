import type { Fact } from '../../../../db/policy.ts'
import type { Variable } from '../../../../db/schema.ts'
import { type CLIENTS, DEVICE_NAMES } from '../../../../src/audience/user-agent.ts'
import { exampleOf, labelOf } from '../../../../src/bundles/variables/variables.ts'
import { withDates } from '../../../../src/core/dates.js'
import { lazy } from '../../../../src/core/lazy.ts'
import { ROLES } from '../../../../src/identity/caller.ts'
import { type DraftLeaf, TOPICS, type Topic } from '../../../../src/policies/draft/conditions.ts'
import { countries, languageNameOf, regionName } from '../../../../src/policies/facts.ts'

// Display names of condition values.

/** A text by the rule's author, isolated so that its direction does not affect the words around it. */
export function isolated(value: string): string {
  const isPlain = /^[^\s,;()“”]+$/u.test(value)
  return `\u2068${isPlain ? value : `“${value}”`}\u2069`
}

function nameIn(names: Record<string, string>, value: string): string {
  const key = value.toLowerCase()
  return Object.hasOwn(names, key) ? names[key]! : isolated(value)
}

const SYSTEMS = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  android: 'Android',
  linux: 'Linux',
  'chrome os': 'ChromeOS',
}
const BROWSERS = { chrome: 'Chrome', firefox: 'Firefox', safari: 'Safari', edge: 'Edge', opera: 'Opera' }

function systemName(value: string): string {
  return nameIn(SYSTEMS, value)
}

function browserName(value: string): string {
  return nameIn(BROWSERS, value)
}

/** Names values from a fixed list, including an article: `a phone`. */
function choiceName(choices: Record<string, string>, wordsOf: (name: string) => string) {
  const names = Object.fromEntries(Object.entries(choices).map(([value, name]) => [value, wordsOf(name)]))
  return (value: string) => nameIn(names, value)
}

/** The name and tag of a language. @param more `…` if only the beginning of the tag is known. */
function languageName(value: string, more: '…' | '' = ''): string {
  const name = languageNameOf(value)
  return name === undefined ? isolated(value + more) : `${name} (${value}${more})`
}

function countryName(value: string): string {
  return (/^[a-z]{2}$/i.test(value) ? regionName(value.toUpperCase()) : undefined) ?? isolated(value)
}

const CLIENT_NAMES: Record<(typeof CLIENTS)[number], string> = {
  browser: 'browser',
  agent: 'AI agent',
  script: 'program',
}

/** The wording of a fact on the rules screen: labels, controls and sentences. */
interface FactWords {
  group: Group
  /** Its label in the list of topics. */
  label: string
  /** An example of a value. */
  placeholder?: string
  /** Its possible values and their names; without them, a text field. */
  choices?: Readonly<Record<string, string>>
  /** Suggested values besides those that the rules use. */
  suggestions?: readonly string[]
  /** The choice for a viewer without a value. */
  none?: string
  sentence: FactSentence
}

/** The words around a value in a sentence. */
export interface FactSentence {
  at: string
  the: string
  any: string
  value?: (value: string) => string
  /** The wording for values that begin with a text. */
  beginning?: (value: string) => string
}

type Group = 'Person' | 'Browser' | 'Link' | 'Time'

const ROLE_NAMES = Object.fromEntries(ROLES.map((role) => [role, role]))
const CLIENT_WORDS = { browser: 'in a browser', agent: 'as an AI agent', script: 'as a program' }
const countryNames = lazy(() => Object.fromEntries(countries()))

/** Every fact, in the tester's order. */
export const FACT_WORDS: Readonly<Record<Fact, FactWords>> = {
  emailDomain: {
    group: 'Person',
    label: 'Email domain',
    placeholder: 'acme.com',
    sentence: { at: 'with an address at ', the: 'with an address whose domain', any: 'with a confirmed address' },
  },
  orgRole: {
    group: 'Person',
    label: 'Organisation role',
    choices: ROLE_NAMES,
    none: 'none',
    sentence: {
      at: 'as ',
      the: 'with a role that',
      any: 'as a member of the organisation',
      value: choiceName(ROLE_NAMES, (role) => `${role} of the organisation`),
    },
  },
  client: {
    group: 'Browser',
    label: 'Who’s reading',
    choices: CLIENT_NAMES,
    sentence: {
      at: '',
      the: 'with a reader that',
      any: 'with any reader',
      value: choiceName(CLIENT_WORDS, (words) => words),
    },
  },
  device: {
    group: 'Browser',
    label: 'Device',
    choices: DEVICE_NAMES,
    sentence: {
      at: 'on ',
      the: 'on a device that',
      any: 'on a known kind of device',
      value: choiceName(DEVICE_NAMES, (device) => `a ${device}`),
    },
  },
  language: {
    group: 'Browser',
    label: 'Language',
    placeholder: 'de',
    sentence: {
      at: 'reading ',
      the: 'with a browser language that',
      any: 'with a known language',
      value: (value) => languageName(value),
      beginning: (value) => languageName(value, '…'),
    },
  },
  os: {
    group: 'Browser',
    label: 'System',
    placeholder: 'ios',
    suggestions: ['windows', 'macos', 'ios', 'android', 'linux'],
    sentence: { at: 'on ', the: 'on a system that', any: 'on a known system', value: systemName },
  },
  browser: {
    group: 'Browser',
    label: 'Browser',
    placeholder: 'safari',
    suggestions: ['chrome', 'firefox', 'safari', 'edge'],
    sentence: { at: 'in ', the: 'in a browser that', any: 'in a known browser', value: browserName },
  },
  country: {
    group: 'Browser',
    label: 'Country',
    placeholder: 'Germany',
    get choices() {
      return countryNames()
    },
    sentence: { at: 'in ', the: 'in a country that', any: 'in a known country', value: countryName },
  },
  referrerDomain: {
    group: 'Link',
    label: 'Coming from',
    placeholder: 'acme.com',
    sentence: { at: 'coming from ', the: 'coming from a site that', any: 'coming from a known site' },
  },
}

/** The names of the facts, in the same order. */
export const FACTS = Object.keys(FACT_WORDS) as Fact[]

/** The names of the topics that a condition can test. */
export const TOPIC_WORDS: Readonly<
  Record<Topic, Pick<FactWords, 'group' | 'label' | 'placeholder' | 'choices' | 'suggestions'>>
> = {
  ...FACT_WORDS,
  signedIn: { group: 'Person', label: 'Signed in' },
  query: { group: 'Link', label: 'Link parameter', placeholder: 'newsletter' },
  now: { group: 'Time', label: 'Date and time' },
  timeWindow: { group: 'Time', label: 'Days and hours' },
}

const GROUPS: readonly Group[] = ['Person', 'Browser', 'Link', 'Time']

/** The same in groups, in the order of a condition's list. */
export const TOPIC_GROUPS = GROUPS.map((group) => ({
  group,
  topics: TOPICS.filter((topic) => TOPIC_WORDS[topic].group === group),
}))

/** The value of a variable in the list of topics. */
export function topicOfVariable({ name }: Pick<Variable, 'name'>): `query.${string}` {
  return `query.${name}`
}

/** The variable that a condition tests; undefined for any other condition. */
export function variableOf({ topic, name }: DraftLeaf, variables: readonly Variable[]): Variable | undefined {
  return topic === 'query' ? variables.find((variable) => variable.name === name) : undefined
}

/** The wording of a condition on a variable. */
export function variableWords(variable: Variable) {
  const { options } = variable
  const [dated] = withDates([variable], null)
  return {
    label: labelOf(variable),
    placeholder: exampleOf(variable) ?? '',
    suggestions: options ?? [dated?.default, variable.example].filter((value) => value !== undefined),
    choices: options?.map((option) => [option, option] as const),
  }
}
