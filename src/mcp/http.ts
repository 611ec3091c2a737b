import { Elysia } from 'elysia'
import { parseJson } from '../core/json.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { asObject, isObject } from '../core/untyped.ts'
import { PLAIN_SIZE, readJson } from '../http/body.ts'
import { callContext } from '../http/request.ts'
import { headersWith } from '../http/respond.ts'
import { keyHeader, unauthorized } from '../identity/caller.ts'
import { MAX_SIZE, refuseLarger } from '../operations/validate.ts'
import type { mcpServer } from './server.ts'

/** `POST /api/mcp`: every operation that a key may call, as a tool. */
export function mcp(service: Service, load: () => ReturnType<typeof mcpServer>) {
  return new Elysia().post(
    '/api/mcp',
    async ({ request }) => {
      refuseOtherOrigins(request, service)
      // A cookie is not enough: tools are for programs, and those have keys.
      if (keyHeader(request.headers) === null) throw unauthorized()
      const context = await callContext(request, service, 'mcp')
      const message = await readJson(request, ['application/json'])
      readArguments(message)
      refuseLargeMessages(message)
      const answer = await (await load())(request, message, context)
      const headers = headersWith({ 'cache-control': 'no-store' })
      for (const [name, value] of answer.headers) headers.set(name, value)
      return new Response(answer.body, { status: answer.status, headers })
    },
    { parse: 'none' },
  )
}

/** Parses arguments that a model sent as JSON text, and drops `null`: the library would refuse both. */
function readArguments(sent: unknown): void {
  for (const message of Array.isArray(sent) ? sent.slice(0, MAX_BATCH) : [sent]) {
    const { params } = asObject(message)
    if (!isObject(params)) continue
    if (params.arguments === null) delete params.arguments
    if (typeof params.arguments !== 'string' || !/^\s*\{/.test(params.arguments)) continue
    try {
      params.arguments = parseJson(params.arguments)
    } catch {
      // Left to the library, which says that they must be an object.
    }
  }
}

/** The library refuses a larger batch, whatever it contains. */
const MAX_BATCH = 100

/**
 * Refuses messages that the library would take long to read. Arguments may be as large as an operation’s input; the rest is
 * small.
 * @throws Problem BAD_REQUEST.
 */
function refuseLargeMessages(sent: unknown): void {
  for (const message of Array.isArray(sent) ? sent.slice(0, MAX_BATCH) : [sent]) {
    const { params, ...others } = (message ?? {}) as { params?: { arguments?: unknown } }
    if (params?.arguments !== undefined) refuseLarger(params.arguments, MAX_SIZE)
    const more = params?.arguments === undefined ? params : { ...params, arguments: undefined }
    refuseLarger([others, more], PLAIN_SIZE, 'a message, without its arguments,')
  }
}

/**
 * Prevents DNS rebinding: a page of another site must not reach a server on the user’s machine.
 * @throws Problem FORBIDDEN.
 */
function refuseOtherOrigins({ headers }: Request, { config: { origin } }: Service): void {
  const from = headers.get('origin')
  if (from !== null && from !== origin) throw new Problem('FORBIDDEN', `Origin must be ${origin} or omitted.`)
}
