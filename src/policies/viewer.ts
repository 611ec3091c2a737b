import type { Field } from '../../db/policy.ts'
import type { Role } from '../identity/roles.ts'
import { type Agent, agentOf } from './agents.ts'
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
