import { Elysia } from 'elysia'
import { HeaderValues } from '../core/header-values.ts'
import { valuesOf } from '../core/launcher-link.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { weightsIn } from '../core/weights.ts'
import { joinList } from '../core/words.ts'
import { RAW, readJson } from '../http/body.ts'
import { callContext, isFromOwnPage, refuseOtherSites } from '../http/client.ts'
import { queryFields, typed } from '../http/fields.ts'
import { empty, isUnchanged, json, streamParts, text } from '../http/respond.ts'
import { giveBackForKey } from '../limits/count-requests.ts'
import type { PublicAnswer } from '../operations/answer.ts'
import { respond } from '../operations/execute.ts'
import { EXTERNAL, externalIdIn } from '../operations/external-id.ts'
import type { Operation } from '../operations/operation.ts'
import { type Variant, variantsOf } from '../operations/variants.ts'
import { optionsOf, share } from './cors.ts'

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

/** The methods of a path that it has with these parameters: PUT only with an external id in the place of a slug. */
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
      // The page that sent it must not learn what became of it, nor use up what its visitor may send.
      if (operation.ownPagesOnly === true && !isFromOwnPage(request, service.config)) return empty(204)
      const decode = () => asked(kind, read(operation, request, typed(operation.input, named(operation, params))))
      const known = callContext(request, service)
      const context = known instanceof Promise ? await known : known
      // Logged, so that a link of another site would do something.
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

/** In a route, the place of a slug in which an external id stands: the router knows it by one name only. */
const BY_EXTERNAL_ID = `${EXTERNAL}:externalId`

/** The path’s parameters by the names that the operation has for them. @throws Problem BAD_REQUEST for a slug. */
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
type Reading = Pick<Operation, 'input' | 'body' | 'bodyTypes' | 'query'> & { csv?: unknown }

function withQuery(operation: Reading, request: Request, path: Path): unknown {
  const { searchParams } = new URL(request.url)
  if (operation.query !== undefined) return { ...path, [operation.query]: valuesOf(searchParams) }
  const { format, ...query } = queryFields(searchParams)
  if (operation.csv === undefined && format !== undefined) Object.assign(query, { format })
  else if (format !== undefined && format !== 'csv' && format !== 'json') {
    throw new Problem('BAD_REQUEST', 'format must be "csv" or "json"')
  }
  return joined(typed(operation.input, query), path)
}

/**
 * Merges path parameters into the query or body, for one flat input.
 * @throws Problem BAD_REQUEST if both have a field with different values.
 */
function joined(sent: Record<string, unknown>, path: Path): Record<string, unknown> {
  for (const name in path) {
    if (Object.hasOwn(sent, name) && sent[name] !== path[name]) {
      const more =
        name === 'slug' ? ': a slug cannot be changed, but duplicate_bundle copies the bundle to a newSlug' : ''
      throw new Problem('BAD_REQUEST', `${name} must be the same as in the path, or omitted${more}`)
    }
  }
  return Object.assign(sent, path)
}

function withBody(operation: Reading, request: Request, path: Path): unknown {
  if (operation.body !== undefined && (request.body === null || request.headers.get('content-length') === '0'))
    return path
  return readJson(request, operation.bodyTypes ?? JSON_ONLY, (body) => {
    if (body === null || typeof body !== 'object' || Array.isArray(body)) {
      throw new Problem('BAD_REQUEST', 'The body must be a JSON object')
    }
    return joined(body as Record<string, unknown>, path)
  })
}

/** The answer as CSV or JSON, by the route, the query's `format` or the Accept header. */
function csvOrJson(
  request: Request,
  answer: Required<Pick<PublicAnswer, 'file' | 'body' | 'headers'>>,
  onError: (error: unknown) => void,
  kind: Variant['kind'] | undefined,
): Response {
  const format = new URL(request.url).searchParams.get('format')
  const isPreferred = () => csvPreferences.of(request.headers.get('accept') ?? '') === 'csv'
  const isCsv = kind === 'csv' || (format === null ? isPreferred() : format === 'csv')
  if (!isCsv) return json(answer.body, 200, { vary: 'Accept', ...answer.headers }, request.method)
  const file = answer.file()
  const type = 'text/csv; charset=utf-8'
  if ('parts' in file) return streamParts(file, { 'content-type': type, vary: 'Accept', ...answer.headers }, onError)
  const { filename, text: body } = file
  const headers = {
    vary: 'Accept, Accept-Encoding',
    'content-disposition': `attachment; filename="${filename}"`,
    ...answer.headers,
  }
  return text(request, body, { type, headers })
}

const csvPreferences = new HeaderValues(preferred, { values: 100, length: 500 })

/** `csv` if an Accept header names text/csv with at least the weight of JSON. */
function preferred(accept: string): 'csv' | 'json' {
  const weights = weightsIn(accept)
  const csv = weights.get('text/csv') ?? 0
  return csv > 0 && csv >= (weights.get('application/json') ?? 0) ? 'csv' : 'json'
}

/**
 * Whether other sites may call an operation: those that a key can be used for. Counts and reports come from viewers
 * alone: otherwise any page could have its visitors send them.
 */
function isShared({ auth, keyScope }: Pick<Operation, 'auth' | 'keyScope'>): boolean {
  return auth !== 'public' || keyScope !== undefined
}
