import { type } from 'arktype'
import { FACTS, type Fact, type Field } from '../../db/policy.ts'
import { type ParsedUserAgent, parseUserAgent } from '../audience/user-agent.ts'
import { object, refusing, says } from '../core/shape.ts'
import { INSTANT, isInstant } from '../core/time.ts'
import { definitionOf, FACT_SHAPES, type FactSource, isOfAccount, type ViewerRequest } from './facts.ts'
import { emailDomainIn } from './operators.ts'

/** What policies can know about a viewer of a launcher. */
export interface Viewer {
  readonly signedIn: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** A fact in lower case, or null if unknown; called once per field. */
  fact(field: Field): string | null
}

/** The viewer who sent a request; facts are read on demand. */
export function viewerOf(request: ViewerRequest): Viewer {
  return new RequestViewer(request)
}

class RequestViewer implements Viewer, FactSource {
  readonly signedIn: boolean
  readonly now: number
  #userAgent: ParsedUserAgent | undefined
  #query: URLSearchParams | undefined

  constructor(readonly request: ViewerRequest) {
    this.signedIn = request.account !== null
    this.now = request.now
  }

  /** Lazy, because three facts come from this header. */
  get userAgent(): ParsedUserAgent {
    this.#userAgent ??= parseUserAgent(this.request.headers.get('user-agent') ?? '')
    return this.#userAgent
  }

  fact(field: Field): string | null {
    const definition = definitionOf(field)
    const value = definition === undefined ? this.#inQuery(field.slice('query.'.length)) : definition.read(this)
    return value?.toLowerCase() ?? null
  }

  #inQuery(name: string): string | null {
    const { url, values } = this.request
    const value = values?.get(name)
    if (value !== undefined) return value
    // Most links have no query, and parsing one is a large part of the cost of a view.
    if (!url.includes('?')) return null
    this.#query ??= new URLSearchParams(queryOf(url))
    // Links copied with their escapes have `?a=1&amp;ref=x`. Capitals count here, as documented.
    return this.#query.get(name) ?? this.#query.get(`amp;${name}`)
  }
}

function queryOf(url: string): string {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
  return query
}

/** The description of a viewer for `policy/preview`; omitted facts are unknown, `now` defaults to the current time. */
export const SentViewer = object({
  'signedIn?': says('boolean', 'By default, if they have an emailDomain or orgRole.', true),
  ...FACT_SHAPES,
  'query?': says('Record<string, string>', 'The query parameters of the link, by name.', { ref: 'newsletter' }),
  'now?': says(
    type('string').narrow(
      refusing({ pattern: INSTANT.source }, (text: string) => (isInstant(text) ? null : { code: 'not_an_instant' })),
    ),
    'With its UTC offset; by default, now.',
    '2026-11-02T09:00:00Z',
  ),
})

/**
 * The described viewer. If a fact of an account is given, the viewer is signed in by default.
 * @param now milliseconds since 1970, the default time.
 * @param values of the bundle’s variables, as in a launcher’s request.
 */
export function describedViewer(sent: typeof SentViewer.infer, now: number, values?: ViewerRequest['values']): Viewer {
  const { query = {} } = sent
  const ofAccount = FACTS.filter(isOfAccount).map((name) => sent[name])
  const fact = (field: Field): string | null => {
    const definition = definitionOf(field)
    if (definition !== undefined) {
      const value = (field === 'emailDomain' ? emailDomainIn(sent[field] ?? '') : sent[field as Fact]) || null
      // Normalised as in a launcher’s request, so that the preview matches the launcher.
      return value === null || definition.normalize === undefined ? value : definition.normalize(value)
    }
    const name = field.slice('query.'.length)
    const value = values?.get(name)
    if (value !== undefined) return value
    return Object.hasOwn(query, name) ? (query[name] ?? null) : null
  }
  return {
    signedIn: sent.signedIn ?? Boolean(ofAccount.find((value) => value !== undefined)),
    now: sent.now === undefined ? now : Date.parse(sent.now),
    fact: (field) => fact(field)?.toLowerCase() ?? null,
  }
}
