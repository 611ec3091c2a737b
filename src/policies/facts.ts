import { type Type, type } from 'arktype'
import { FACTS, type Fact, type Field } from '../../db/policy.ts'
import { CLIENTS, type Client } from '../audience/client.ts'
import { countryOf } from '../audience/country.ts'
import { DEVICES } from '../audience/device.ts'
import { formFor } from '../audience/form.ts'
import { bestLanguage } from '../audience/language.ts'
import { domainOf } from '../audience/referrer.ts'
import type { ParsedUserAgent } from '../audience/user-agent.ts'
import { refusing } from '../core/shape.ts'
import { line } from '../core/text-shapes.ts'
import { ROLES, type Role } from '../identity/roles.ts'
import { countryCode } from './countries.ts'
import { CONDITION_BOUNDS } from './operators.ts'

/** The part of a launcher’s request that policies read, independent of any transport. */
export interface ViewerRequest {
  headers: Pick<Headers, 'get'>
  /** Absolute or not; only the query is used. */
  url: string
  /** Milliseconds since 1970. */
  now: number
  /** The header in which a trusted proxy sends the country; undefined if none is trusted. */
  countryHeader: string | undefined
  /** Null if nobody is signed in, or the policy does not depend on it. */
  account: Account | null
  /** The kind of client, where it is known from elsewhere than the headers. */
  client?: Client | undefined
  /** The value of each variable of the bundle, null for none: what `query.<name>` is of these, however it was sent. */
  values?: ReadonlyMap<string, string | null> | undefined
}

/**
 * What policies may know about a viewer’s account. Never an address or id, because a rule for one person could track
 * them.
 */
export interface Account {
  /** The domain of a VERIFIED email address; otherwise null. */
  emailDomain: string | null
  /** In the organisation that owns the bundle; null outside it. */
  orgRole: Role | null
}

/** What facts are read from: the request, and its parsed User-Agent. */
export interface FactSource {
  readonly request: ViewerRequest
  readonly userAgent: ParsedUserAgent
}

interface FactDefinition {
  /** The values that `policy/preview` accepts. */
  shape: Type<string>
  /** Reads it from a request, in any case; null if unknown. */
  read(source: FactSource): string | null
  /** Whether it implies that the viewer is signed in. */
  isOfAccount?: boolean
  /** Its possible values, if limited. */
  values?: readonly string[]
  /** The format of its values, if any, with a description. */
  format?: { pattern: RegExp; words: string }
  isDomain?: boolean
  /** Normalises a described value to the form in requests; null if impossible. */
  normalize?: (value: string) => string | null
}

const text = line(CONDITION_BOUNDS.text)

/** How each fact is read, described in a preview, and restricted. */
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
  client: {
    shape: type.enumerated(...CLIENTS),
    // Whoever prefers Markdown reads it with a model, whatever it calls itself.
    read: ({ request: { client, headers }, userAgent }) =>
      client ?? (formFor(headers) === 'markdown' ? 'agent' : userAgent.client),
    values: CLIENTS,
  },
  device: { shape: type.enumerated(...DEVICES), read: ({ userAgent }) => userAgent.device, values: DEVICES },
  os: { shape: text, read: ({ userAgent }) => userAgent.os },
  browser: { shape: text, read: ({ userAgent }) => userAgent.browser },
  country: {
    shape: text.narrow(
      refusing({ pattern: '^[A-Za-z]{2}$' }, (sent: string) =>
        /^[a-z]{2}$/i.test(sent) ? null : { code: 'not_a_country', meant: countryCode(sent) },
      ),
    ),
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

/** The definition of a condition’s field; undefined for a query parameter. */
export function definitionOf(field: Field): FactDefinition | undefined {
  return (DEFINITIONS as Partial<Record<Field, FactDefinition>>)[field]
}

/** Whether a field is a fact of a signed-in viewer's account. */
export function isOfAccount(field: Field): boolean {
  return definitionOf(field)?.isOfAccount === true
}

/** The facts as optional keys of a schema. */
export const FACT_SHAPES = Object.fromEntries(FACTS.map((fact) => [`${fact}?`, DEFINITIONS[fact].shape])) as {
  [Name in Fact as `${Name}?`]: Definitions[Name]['shape']
}

/** A domain in the ASCII form that browsers send, keeping a leading dot; null if it is not a domain. */
function asSent(domain: string): string | null {
  const [, dot = '', name = ''] = /^(\.?)(.*)$/.exec(domain) ?? []
  const url = `http://${name}/`
  return URL.canParse(url) ? dot + new URL(url).hostname : null
}
