import type { Field } from '../../db/policy.ts'
import { type ParsedUserAgent, parseUserAgent } from '../audience/user-agent.ts'
import { definitionOf, type FactSource, type ViewerRequest } from './facts.ts'

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
    return this.#query.get(name)
  }
}

function queryOf(url: string): string {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
  return query
}
