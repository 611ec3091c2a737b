import { type } from 'arktype'
import type { Field } from '../../db/policy.ts'
import { ROLES, type Role } from '../identity/roles.ts'
import { said } from '../shape.ts'
import { line } from '../text-shapes.ts'
import { type Agent, agentOf, DEVICES } from './agents.ts'
import { CONDITION_BOUNDS, INSTANT, isInstant } from './conditions.ts'
import type { Viewer } from './evaluate.ts'
import { bestLanguage } from './language.ts'

/** What a request tells about who sent it, as values: nothing here knows a request. */
export interface Sighting {
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

/** The viewer that a request came from; each fact is read when a policy asks for it. */
export function seen(sighting: Sighting): Viewer {
  return new SeenViewer(sighting)
}

class SeenViewer implements Viewer {
  readonly signedIn: boolean
  readonly now: number
  /** Three facts come from the one header. */
  #agent: Agent | undefined
  #query: URLSearchParams | undefined

  constructor(readonly sighting: Sighting) {
    this.signedIn = sighting.account !== null
    this.now = sighting.now
  }

  fact(field: Field): string | null {
    return this.#read(field)?.toLowerCase() ?? null
  }

  #read(field: Field): string | null {
    const { headers, url, countryHeader, account } = this.sighting
    switch (field) {
      case 'emailDomain':
      case 'orgRole':
        return account?.[field] ?? null
      case 'language':
        return bestLanguage(headers.get('accept-language') ?? '')
      case 'device':
      case 'os':
      case 'browser':
        this.#agent ??= agentOf(headers.get('user-agent') ?? '')
        return this.#agent[field]
      case 'country':
        return countryHeader === undefined ? null : countryOf(headers.get(countryHeader) ?? '')
      case 'referrerDomain':
        return domainOf(headers.get('referer') ?? '')
      default:
        // Most links have no query, and reading one is a good part of what a view may cost.
        if (!url.includes('?')) return null
        this.#query ??= new URLSearchParams(queryOf(url))
        return this.#query.get(field.slice('query.'.length))
    }
  }
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
export function asSent(domain: string): string | null {
  const [, dot = '', name = ''] = /^(\.?)(.*)$/.exec(domain) ?? []
  const url = `http://${name}/`
  return URL.canParse(url) ? dot + new URL(url).hostname : null
}

function queryOf(url: string): string {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
  return query
}

const fact = line(CONDITION_BOUNDS.text)

/** A viewer as `policy/preview` is told of one (decisions 6); what is left out is absent, `now` is now. */
export const SentViewer = type({
  'signedIn?': 'boolean',
  'emailDomain?': fact,
  'orgRole?': type.enumerated(...ROLES),
  'language?': fact,
  'device?': type.enumerated(...DEVICES),
  'os?': fact,
  'browser?': fact,
  'country?': fact,
  'query?': type('Record<string, string>'),
  'referrerDomain?': fact,
  'now?': type('string').narrow(
    said(
      { pattern: INSTANT.source },
      (text: string, ctx: { mustBe(expected: string): false }) =>
        isInstant(text) || ctx.mustBe('a time with its zone, such as 2026-12-01T09:00:00Z'),
    ),
  ),
  '+': 'reject',
})

/**
 * The viewer that is described. Whoever has an e-mail domain or a role is signed in, unless it is said that
 * they are not.
 * @param now milliseconds since 1970, for a viewer without a time.
 */
export function described(viewer: typeof SentViewer.infer, now: number): Viewer {
  const { signedIn, query = {}, emailDomain, orgRole } = viewer
  const fact = (field: Field): string | null => {
    // As a launcher would see it, whose answer a preview tells.
    if (field === 'referrerDomain') return asSent(viewer.referrerDomain ?? '')
    if (!field.startsWith('query.')) return viewer[field as Exclude<keyof typeof viewer, 'signedIn' | 'query'>] || null
    const name = field.slice('query.'.length)
    return Object.hasOwn(query, name) ? (query[name] ?? null) : null
  }
  return {
    signedIn: signedIn ?? Boolean(emailDomain ?? orgRole),
    now: viewer.now === undefined ? now : Date.parse(viewer.now),
    fact: (field) => fact(field)?.toLowerCase() ?? null,
  }
}
