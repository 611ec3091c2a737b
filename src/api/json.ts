import { Elysia } from 'elysia'
import type { Issue } from '../core/issue.ts'
import { valuesOf } from '../core/launcher-link.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { joinList } from '../core/words.ts'
import { queryFields, RAW, readJson, typed } from '../http/body.ts'
import { csvAnswer, prefersCsv } from '../http/csv.ts'
import { callContext, isFromOwnPage, refuseOtherSites } from '../http/request.ts'
import { empty, isUnchanged, json, streamParts } from '../http/respond.ts'
import { giveBackForKey } from '../limits/rate-limits.ts'
import { EXTERNAL, externalIdIn } from '../operations/bundle-reference.ts'
import { type Found, respond } from '../operations/execute.ts'
import { type Operation, type PublicAnswer, type Variant, variantsOf } from '../operations/operation.ts'

const JSON_ONLY = ['application/json']

/** Every operation as a JSON route below `/api`. */
export function api(operations: readonly Operation[], service: Service, failed: Failed) {
  const app = new Elysia()
  const shared = new Map<string, string[]>()
  const routes = operations.flatMap((operation) => [
    { operation, route: operation.route, kind: undefined },
    ...variantsOf(operation).map(({ route, kind }) => ({ operation, route, kind })),
  ])
  for (const { operation, route, kind } of routes) {
    const [method = '', below = ''] = route.split(' ')
    const path = `/api${below.replace(BY_EXTERNAL_ID, ':slug')}`
    const answer = answering(operation, service, failed, kind)
    const readable = isShared(operation) ? share : (_: Request, answer: Response) => answer
    const handle = async ({ request, params }: { request: Request; params?: Fields }) =>
      readable(request, await answer(request, params ?? {}))
    app.route(method, path, handle, RAW)
    if (isShared(operation)) shared.set(path, [...(shared.get(path) ?? []), method])
  }
  for (const [path, methods] of shared) {
    app.options(path, ({ params }: { params?: Fields }) => optionsOf(methodsAt(methods, params)), RAW)
  }
  return app
}

type Fields = Record<string, string>

/** The methods of a path with these parameters: PUT only with an external id in the place of a slug. */
export function methodsAt(methods: readonly string[], params: Fields = {}): string[] {
  return methods.filter((method) => method !== 'PUT' || externalIdIn(params) !== null)
}

/** Answers a request whose handler threw. */
export type Failed = (request: Request, error: unknown) => Response

/** The handler of an operation's route, or of a variant's; `params` are the path's. */
function answering<In, Out>(
  operation: Operation<In, Out>,
  service: Service,
  failed: Failed,
  kind?: Variant['kind'],
): (request: Request, params: Fields) => Promise<Response> {
  const read = /^(GET|DELETE) /.test(operation.route) ? withQuery : withBody
  return async (request, params) => {
    try {
      // Another site’s page must neither learn the outcome nor use up the limit of its visitor.
      if (operation.ownPagesOnly === true && !isFromOwnPage(request, service.config)) return empty(204)
      const decode = (found: Found) =>
        asked(kind, read(operation, request, typed(operation.input, named(operation, params)), found))
      const known = callContext(request, service)
      const context = known instanceof Promise ? await known : known
      // A download is logged, so a link on another site would have an effect.
      if (operation.download !== undefined && context.caller.kind === 'session')
        refuseOtherSites(request, service.config)
      const sent = await respond(operation, decode, context, service)
      const { status, body, headers: own, file, download, next } = sent
      const headers = next === undefined ? own : { ...own, link: linkTo(request, next) }
      if (isUnchanged(request, headers.etag)) {
        const { caller } = context
        return empty(304, caller.kind === 'key' ? await giveBackForKey(caller.key, headers, service) : headers)
      }
      const onError = (error: unknown) => service.log.error({ err: error }, 'a download failed midway')
      if (file !== undefined) return csvOrJson(request, { file, body, headers }, onError, kind)
      if (download !== undefined) return streamParts(download, headers, onError)
      return status === 204 ? empty(status, headers) : json(body, status, headers, request.method)
    } catch (error) {
      return failed(request, error)
    }
  }
}

/** The part of a route with an external id in the place of a slug: the router knows only one name for it. */
const BY_EXTERNAL_ID = `${EXTERNAL}:externalId`

/** The path’s parameters under the operation’s names. @throws Problem BAD_REQUEST for a slug. */
function named({ route }: Pick<Operation, 'route'>, params: Fields): Fields {
  if (!route.includes(BY_EXTERNAL_ID)) return params
  const externalId = externalIdIn(params)
  if (externalId !== null) return { externalId }
  throw new Problem(
    'BAD_REQUEST',
    `PUT takes a path that ends in ${EXTERNAL}<externalId>: PATCH edits a bundle by its slug`,
  )
}

/** The input of a variant. */
function asked(kind: Variant['kind'] | undefined, decoded: unknown): unknown {
  if (kind !== 'dryRun') return decoded
  const add = (input: unknown) => Object.assign(input as object, { dryRun: true })
  return decoded instanceof Promise ? decoded.then(add) : add(decoded)
}

/** The Link header of a page of a list, with the address of the next one. */
function linkTo({ url }: Request, next: Readonly<Record<string, number | string>>): string {
  const { pathname, searchParams } = new URL(url)
  for (const [name, value] of Object.entries(next)) searchParams.set(name, String(value))
  return `<${pathname}?${searchParams}>; rel="next"`
}

/** Refuses a method that a path does not support. */
export function refuseMethod(allow: readonly string[]): never {
  throw new Problem('METHOD_NOT_ALLOWED', `This URL accepts only ${joinList(allow, 'and')}.`, {
    headers: { allow: allow.join(', ') },
    userMessage: 'This page can’t be opened like this. Go back and try again.',
  })
}

/** Typed path parameters. */
type Path = Record<string, unknown>
type Reading = Pick<Operation, 'input' | 'body' | 'bodyTypes' | 'maxBody' | 'query' | 'bodySlug'> & { csv?: unknown }

function withQuery(operation: Reading, request: Request, path: Path, found: Found): unknown {
  const { searchParams } = new URL(request.url)
  if (operation.query !== undefined) return { ...path, [operation.query]: valuesOf(searchParams) }
  const { format, ...query } = queryFields(searchParams)
  if (operation.csv === undefined && format !== undefined) Object.assign(query, { format })
  else if (format !== undefined && format !== 'csv' && format !== 'json') {
    note(found, { path: ['format'], reason: { code: 'type', expected: '"csv" or "json"' } })
  }
  return joined(typed(operation.input, query), path, found)
}

/** Merges path parameters into the query or body, for one flat input. A field that both have must have the same value. */
function joined(sent: Record<string, unknown>, path: Path, found: Found, bodySlug?: string): Record<string, unknown> {
  if (bodySlug !== undefined && Object.hasOwn(sent, 'slug') && !Object.hasOwn(sent, bodySlug)) {
    sent[bodySlug] = sent.slug
    delete sent.slug
  }
  for (const name in path) {
    if (Object.hasOwn(sent, name) && sent[name] !== path[name])
      note(found, { path: [name], reason: { code: 'not_as_in_path', isSlug: name === 'slug' } })
  }
  return Object.assign(sent, path)
}

function note(found: Found, issue: Issue): void {
  found.wrong = [...(found.wrong ?? []), issue]
}

function withBody(operation: Reading, request: Request, path: Path, found: Found): unknown {
  if (operation.body !== undefined && (request.body === null || request.headers.get('content-length') === '0'))
    return path
  const make = (body: unknown) => {
    if (body === null || typeof body !== 'object' || Array.isArray(body)) {
      throw new Problem('BAD_REQUEST', 'The body must be a JSON object')
    }
    return joined(body as Record<string, unknown>, path, found, operation.bodySlug)
  }
  return readJson(request, operation.bodyTypes ?? JSON_ONLY, make, operation.maxBody)
}

/** The answer as CSV or JSON, by the route, the query's `format` or the Accept header. */
function csvOrJson(
  request: Request,
  answer: Required<Pick<PublicAnswer, 'file' | 'body' | 'headers'>>,
  onError: (error: unknown) => void,
  kind: Variant['kind'] | undefined,
): Response {
  const format = new URL(request.url).searchParams.get('format')
  const isCsv = kind === 'csv' || (format === null ? prefersCsv(request) : format === 'csv')
  if (!isCsv) return json(answer.body, 200, { vary: 'Accept', ...answer.headers }, request.method)
  return csvAnswer(request, answer.file, answer.headers, onError)
}

/**
 * Whether other sites may call an operation: any that accepts a key. Counts and reports come only from viewers: otherwise any
 * page could make its visitors send them.
 */
function isShared({ auth, keyScope }: Pick<Operation, 'auth' | 'keyScope'>): boolean {
  return auth !== 'public' || keyScope !== undefined
}

// Cross-origin calls without the browser’s credentials: anonymous ones, and those with a key. No answer to a request with a
// cookie is readable for another site.

/** Request headers that operations read and browsers do not send by themselves. */
const REQUEST_HEADERS = 'authorization, content-type, idempotency-key, if-match, if-none-match, service-client'

const ANSWER_HEADERS =
  'etag, link, location, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, content-disposition, x-request-id'

/** How long browsers may cache the answer to OPTIONS, in seconds; Chromium caps it at two hours. */
const MAX_AGE = '7200'

/** Lets a page of another site read an answer. */
export function share(request: Request, answer: Response): Response {
  const { headers } = request
  if (!headers.has('origin') || headers.has('cookie')) return answer
  answer.headers.set('access-control-allow-origin', '*')
  answer.headers.set('access-control-expose-headers', ANSWER_HEADERS)
  return answer
}

/** The answer to OPTIONS of a path. It never allows credentials, so browsers send no cookie. */
export function optionsOf(methods: readonly string[]): Response {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return empty(204, {
    allow: `${allow}, OPTIONS`,
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': MAX_AGE,
  })
}
