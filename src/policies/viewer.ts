import type { Field } from '../../db/policy.ts'
import { type Agent, agentOf } from './agents.ts'
import type { Viewer } from './evaluate.ts'
import { definitionOf, type FactSource, type ViewerRequest } from './facts.ts'

/** The viewer that a request came from; each fact is read when a policy asks for it. */
export function viewerOf(request: ViewerRequest): Viewer {
  return new RequestViewer(request)
}

class RequestViewer implements Viewer, FactSource {
  readonly signedIn: boolean
  readonly now: number
  #agent: Agent | undefined
  #query: URLSearchParams | undefined

  constructor(readonly request: ViewerRequest) {
    this.signedIn = request.account !== null
    this.now = request.now
  }

  /** Three facts come from the one header. */
  get agent(): Agent {
    this.#agent ??= agentOf(this.request.headers.get('user-agent') ?? '')
    return this.#agent
  }

  fact(field: Field): string | null {
    const definition = definitionOf(field)
    const value = definition === undefined ? this.#inQuery(field.slice('query.'.length)) : definition.read(this)
    return value?.toLowerCase() ?? null
  }

  #inQuery(name: string): string | null {
    const { url } = this.request
    // Most links have no query, and reading one is a good part of what a view may cost.
    if (!url.includes('?')) return null
    this.#query ??= new URLSearchParams(queryOf(url))
    return this.#query.get(name)
  }
}

function queryOf(url: string): string {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
  return query
}
