import { type Type, type } from 'arktype'
import { FACTS, type Fact, type Field } from '../../db/policy.ts'
import { line } from '../core/text-shapes.ts'
import { ROLES, type Role } from '../identity/roles.ts'
import { type Agent, DEVICES } from './agents.ts'
import { bestLanguage } from './language.ts'
import { CONDITION_BOUNDS } from './operators.ts'

/** A launcher's request, as far as policies read it: values, nothing here knows a transport. */
export interface ViewerRequest {
  headers: Pick<Headers, 'get'>
  /** Absolute or not; what stands behind `?` counts. */
  url: string
  /** Milliseconds since 1970. */
  now: number
  /** The header that a trusted proxy puts the country in; undefined: none is believed (decisions 6). */
  countryHeader: string | undefined
  /** Null where nobody is signed in, or where the policy does not ask. */
  account: Account | null
}

/** What a signed-in viewer's account tells. Never an address or an id: a rule for one person would watch them. */
export interface Account {
  /** Of a VERIFIED e-mail address; else null. */
  emailDomain: string | null
  /** In the organisation that owns the bundle; null outside it. */
  orgRole: Role | null
}

/** Where a fact is read: the request, and what several facts are read from. */
export interface FactSource {
  readonly request: ViewerRequest
  readonly agent: Agent
}

interface FactDefinition {
  /** What `policy/preview` takes for it. */
  shape: Type<string>
  /** Reads it from a request, in any case; null where it is absent. */
  read(source: FactSource): string | null
  /** Of a signed-in viewer's account: whoever has it is signed in. */
  isOfAccount?: boolean
  /** Its only values. */
  values?: readonly string[]
  /** What its values look like, where they have a form, and in words. */
  format?: { pattern: RegExp; words: string }
  isDomain?: boolean
  /** A described value as a request would carry it; null for what none could. */
  normalize?: (value: string) => string | null
}

const text = line(CONDITION_BOUNDS.text)

/** Each fact: where it is read, what a preview takes for it, and what its values can be. */
const DEFINITIONS = {
  emailDomain: {
    shape: text,
    read: ({ request: { account } }) => account?.emailDomain ?? null,
    isOfAccount: true,
    isDomain: true,
  },
  orgRole: {
    shape: type.enumerated(...ROLES),
    read: ({ request: { account } }) => account?.orgRole ?? null,
    isOfAccount: true,
    values: ROLES,
  },
  language: { shape: text, read: ({ request: { headers } }) => bestLanguage(headers.get('accept-language') ?? '') },
  device: { shape: type.enumerated(...DEVICES), read: ({ agent }) => agent.device, values: DEVICES },
  os: { shape: text, read: ({ agent }) => agent.os },
  browser: { shape: text, read: ({ agent }) => agent.browser },
  country: {
    shape: text,
    read: ({ request: { headers, countryHeader } }) =>
      countryHeader === undefined ? null : countryOf(headers.get(countryHeader) ?? ''),
    format: { pattern: /^[a-z]{2}$/i, words: 'a code of two letters such as DE' },
  },
  referrerDomain: {
    shape: text,
    read: ({ request: { headers } }) => domainOf(headers.get('referer') ?? ''),
    isDomain: true,
    normalize: asSent,
  },
} as const satisfies Record<Fact, FactDefinition>

type Definitions = typeof DEFINITIONS

/** What is known of a field of a condition; undefined for a value in the query of the link. */
export function definitionOf(field: Field): FactDefinition | undefined {
  return (DEFINITIONS as Partial<Record<Field, FactDefinition>>)[field]
}

/** Whether a field is a fact of a signed-in viewer's account. */
export function isOfAccount(field: Field): boolean {
  return definitionOf(field)?.isOfAccount === true
}

/** The facts as keys of a shape, each optional. */
export const FACT_SHAPES = Object.fromEntries(FACTS.map((fact) => [`${fact}?`, DEFINITIONS[fact].shape])) as {
  [Name in Fact as `${Name}?`]: Definitions[Name]['shape']
}

/** Only a country's own code: proxies say XX for "unknown", and some have codes that are no countries. */
function countryOf(header: string): string | null {
  // Proxies append, so of several values the last is the trusted one's.
  const code = header.slice(header.lastIndexOf(',') + 1).trim()
  return /^[A-Za-z]{2}$/.test(code) && code.toUpperCase() !== 'XX' ? code : null
}

function domainOf(referrer: string): string | null {
  return referrer !== '' && URL.canParse(referrer) ? new URL(referrer).hostname || null : null
}

/** A domain in the letters that browsers send it in, or null where it is none; a dot before it stays. */
function asSent(domain: string): string | null {
  const [, dot = '', name = ''] = /^(\.?)(.*)$/.exec(domain) ?? []
  const url = `http://${name}/`
  return URL.canParse(url) ? dot + new URL(url).hostname : null
}
