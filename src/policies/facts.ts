import { type Type, type } from 'arktype'
import { FACTS, type Fact, type Field } from '../../db/policy.ts'
import { bestLanguage, formFor } from '../audience/negotiation.ts'
import { countryOf, domainOf } from '../audience/origin.ts'
import { CLIENTS, type Client, DEVICES, type ParsedUserAgent } from '../audience/user-agent.ts'
import { lazy } from '../core/lazy.ts'
import { refusing, says } from '../core/shape.ts'
import { line } from '../core/text-shapes.ts'
import { ROLES, type Role } from '../identity/caller.ts'
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
  /** The kind of client, if known from elsewhere than the headers. */
  client?: Client | undefined
  /** The value of each variable of the bundle, null for none. Provides `query.<name>` for these, however the value was sent. */
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

/** The sources of facts: the request, and its parsed User-Agent. */
export interface FactSource {
  readonly request: ViewerRequest
  readonly userAgent: ParsedUserAgent
}

interface FactDefinition {
  /** The values that `policy/preview` accepts. */
  shape: Type<string>
  /** Reads the fact from a request, in any case; null if unknown. */
  read(source: FactSource): string | null
  /** Whether the fact implies that the viewer is signed in. */
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

/** How each fact is read from requests, described in previews, and restricted. */
const DEFINITIONS = {
  emailDomain: {
    shape: says(text, 'The domain of their verified address.', 'acme.com'),
    read: ({ request: { account } }) => account?.emailDomain ?? null,
    isOfAccount: true,
    isDomain: true,
  },
  orgRole: {
    shape: says(type.enumerated(...ROLES), 'Their role in the organisation that owns the bundle.', 'editor'),
    read: ({ request: { account } }) => account?.orgRole ?? null,
    isOfAccount: true,
    values: ROLES,
  },
  language: {
    shape: says(text, 'Their browser’s preferred language.', 'de-AT'),
    read: ({ request: { headers } }) => bestLanguage(headers.get('accept-language') ?? ''),
  },
  client: {
    shape: says(type.enumerated(...CLIENTS), 'What reads the link.', 'agent'),
    // A client that prefers Markdown reads it with a model, whatever its name.
    read: ({ request: { client, headers }, userAgent }) =>
      client ?? (formFor(headers) === 'markdown' ? 'agent' : userAgent.client),
    values: CLIENTS,
  },
  device: {
    shape: says(type.enumerated(...DEVICES), 'Their kind of device.', 'mobile'),
    read: ({ userAgent }) => userAgent.device,
    values: DEVICES,
  },
  os: {
    shape: says(text, 'The family of their operating system.', 'ios'),
    read: ({ userAgent }) => userAgent.os,
  },
  browser: { shape: says(text, 'The family of their browser.', 'safari'), read: ({ userAgent }) => userAgent.browser },
  country: {
    shape: says(
      text.narrow(
        refusing({ pattern: '^[A-Za-z]{2}$' }, (sent: string) =>
          /^[a-z]{2}$/i.test(sent) ? null : { code: 'not_a_country', meant: countryCode(sent) },
        ),
      ),
      'Two letters.',
      'AT',
    ),
    read: ({ request: { headers, countryHeader } }) =>
      countryHeader === undefined ? null : countryOf(headers.get(countryHeader) ?? ''),
    format: { pattern: /^[a-z]{2}$/i, words: 'a code of two letters such as DE' },
  },
  referrerDomain: {
    shape: says(text, 'The host of the page that linked here.', 'news.example'),
    read: ({ request: { headers } }) => domainOf(headers.get('referer') ?? ''),
    isDomain: true,
    normalize: asciiDomain,
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
function asciiDomain(domain: string): string | null {
  const [, dot = '', name = ''] = /^(\.?)(.*)$/.exec(domain) ?? []
  const url = `http://${name}/`
  return URL.canParse(url) ? dot + new URL(url).hostname : null
}

/** Codes that ICU names but ISO 3166 does not assign to a country: unions, islands of another country, “unknown”. */
const NO_COUNTRIES = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'
/** Withdrawn codes; ICU gives them the names of their successors. */
const WITHDRAWN = 'AN BU CS DD DY FX HV NH RH SU TP UK VD YD YU ZR'

const regionNames = lazy(() => new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' }))

/** The English names of all countries by two-letter code (`DE`), sorted by name. */
export const countries = lazy(
  (): ReadonlyMap<string, string> => new Map(named().sort(([, one], [, other]) => one.localeCompare(other, 'en'))),
)

const codesByName = lazy(() => new Map([...countries()].map(([code, name]) => [name.toLowerCase(), code])))

/** The English name of any region ICU knows by this two-letter code; a withdrawn code gets its successor's name. */
export function regionName(code: string): string | undefined {
  return regionNames().of(code)
}

const languages = lazy(() => new Intl.DisplayNames('en-GB', { type: 'language', fallback: 'none' }))

/** The English name of a language by its tag, such as `pt-BR`; undefined for an unknown one. */
export function languageNameOf(tag: string): string | undefined {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/i.test(tag) ? languages().of(tag) : undefined
}

/** The code of a country typed as a code or an English name, in any case; null for anything else. */
export function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase()
  return countries().has(code) ? code : (codesByName().get(text.trim().toLowerCase()) ?? null)
}

function named(): [string, string][] {
  const leftOut = new Set(`${NO_COUNTRIES} ${WITHDRAWN}`.split(' '))
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code): [string, string][] => {
      const name = leftOut.has(code) ? undefined : regionName(code)
      return name === undefined ? [] : [[code, name]]
    })
}
