import { Elysia } from 'elysia'
import { refuseLarger } from '../core/json.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { PLAIN_SIZE, readJson } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { headersWith } from '../http/respond.ts'
import { unauthorized } from '../identity/caller.ts'
import { keyHeader } from '../identity/identify.ts'
import { MAX_SIZE } from '../operations/validate.ts'
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
      refuseLargeMessages(message)
      const answer = await (await load())(request, message, context)
      const headers = headersWith({ 'cache-control': 'no-store' })
      for (const [name, value] of answer.headers) headers.set(name, value)
      return new Response(answer.body, { status: answer.status, headers })
    },
    { parse: 'none' },
  )
}

/**
 * Refuses what the library would take long to read. Arguments may be as large as an operation’s input, all else is small.
 * @throws Problem BAD_REQUEST.
 */
function refuseLargeMessages(sent: unknown): void {
  // The library refuses a batch of more than a hundred for its number alone.
  for (const message of Array.isArray(sent) ? sent.slice(0, 100) : [sent]) {
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
