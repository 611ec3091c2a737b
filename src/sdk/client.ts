import about from '../../package.json' with { type: 'json' }
import { randomId } from '../core/random-id.ts'
import { type Declaration, OPERATIONS } from '../operations/table.ts'
import { type Answer, type Call, type CallOptions, type Connection, send } from './call.ts'
import { OpenallError } from './error.ts'
import { typed } from './signatures.ts'

export interface ClientOptions extends CallOptions {
  /** The service's address: `https://openall.example`. */
  server: string
  /** An API key. Without one, calls are anonymous or, on the service’s own pages, made with the user’s session. */
  key?: string | undefined
  /** Replaces the runtime’s `fetch`. */
  fetch?: typeof fetch | undefined
  /** `<client>/<tag>`, stored with created bundles; default `sdk/<version>`. */
  label?: string | undefined
  /** The source of created bundles; default `sdk`. */
  source?: 'sdk' | 'cli' | 'extension' | 'import' | undefined
}

interface Options extends CallOptions {
  idempotencyKey?: string | null | undefined
  expectedVersion?: number | null | undefined
}

type Input = Readonly<Record<string, unknown>>

const MAX_PAGE = 100

/**
 * A client with a method for each operation: `client.createBundle({ urls })`. Each takes one flat input and options, and
 * resolves to the body of the answer. `.answer` also returns version and headers, `.each` iterates over the pages of a
 * list, `.csv` returns a table as text, `.dryRun` what would be saved.
 *
 * ```ts
 * const openall = createClient({ server: 'https://openall.example', key: 'oa_…' })
 * const { url } = await openall.createBundle({ title: 'Launch day', urls: ['https://example.com/plan'] })
 * ```
 *
 * @throws OpenallError from every method, and for an invalid server or key.
 */
export function createClient(options: ClientOptions) {
  const connection = connect(options)
  const source = options.source ?? 'sdk'
  const methods = Object.entries<Declaration>(OPERATIONS).map(([name, operation]) => {
    const defaults = operation.takesSource ? { source } : {}
    return [methodName(name), method(operation, defaults, connection)] as const
  })
  return typed(Object.fromEntries(methods))
}

/** Every operation as a method, typed. */
export type Client = ReturnType<typeof createClient>

function connect({ server, key, fetch: given, label, ...options }: ClientOptions): Connection {
  const base = server.replace(/\/+$/, '')
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new OpenallError('BAD_REQUEST', 'server must be an http: or https: address')
  }
  // Checked here, because fetch’s error for an invalid header quotes its value.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new OpenallError('UNAUTHORIZED', 'The API key is malformed. Check it, or omit it.', { status: 401 })
  }
  const send = given ?? ((...request: Parameters<typeof fetch>) => fetch(...request))
  return { ...options, base, key, fetch: send as typeof fetch, label: label ?? `sdk/${about.version}` }
}

/** The method name of an operation: `create_bundle` becomes `createBundle`. */
export function methodName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function method(operation: Declaration, defaults: Input, connection: Connection) {
  const call = (input: Input = {}, options: Options = {}): Call => ({
    ...options,
    operation,
    input: { ...defaults, ...input },
    idempotencyKey: operation.idempotent ? (options.idempotencyKey ?? randomId()) : undefined,
  })
  const answer = (input?: Input, options?: Options): Promise<Answer<unknown>> => send(call(input, options), connection)
  return Object.assign(async (input?: Input, options?: Options) => (await answer(input, options)).body, {
    answer,
    dryRun: async (input?: Input, options?: Options) => (await answer({ ...input, dryRun: true }, options)).body,
    csv: async (input?: Input, options?: Options) =>
      (await send({ ...call(input, options), format: 'csv' }, connection)).body,
    each: (input?: Input, options?: Options) =>
      each(operation.pages ?? '', (page) => answer({ ...input, ...page }, options), input),
  })
}

/** Iterates over the items of a list, page by page. */
async function* each(
  list: string,
  page: (paging: { limit: number; offset: number; cursor?: string }) => Promise<Answer<unknown>>,
  { limit = MAX_PAGE, offset = 0 }: { limit?: number; offset?: number } = {},
): AsyncGenerator<unknown, void> {
  for (let place: { offset: number; cursor?: string } = { offset }; ; ) {
    const { body } = await page({ limit, ...place })
    const { [list]: items, nextCursor } = body as { nextCursor?: string; [list: string]: unknown }
    yield* items as unknown[]
    if (nextCursor === undefined) return
    place = { offset: 0, cursor: nextCursor }
  }
}
