import { Elysia } from 'elysia'
import { lazy } from '../core/lazy.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { readJson } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { headersWith } from '../http/respond.ts'
import { unauthorized } from '../identity/caller.ts'
import { challenge } from '../oauth/resources.ts'
import type { CallContext, Operation } from '../operations/operation.ts'

/** `POST /api/mcp`: every operation that a key may call, as a tool. */
export function mcp(operations: readonly Operation[], service: Service) {
  // Loaded on the first request, because the protocol’s library is larger than the rest of the service.
  const load = lazy(async () => (await import('./server.ts')).mcpServer(operations, service))
  return new Elysia().post(
    '/api/mcp',
    async ({ request }) => {
      refuseOtherOrigins(request, service)
      // A cookie is not enough: tools are for programs, and those have keys.
      if (!request.headers.has('authorization')) {
        throw challenged(unauthorized('Sign in, or send an API key as Authorization: Bearer <key>.'), service)
      }
      const context = await contextOf(request, service)
      const answer = await (await load())(request, await readJson(request, ['application/json']), context)
      const headers = headersWith({ 'cache-control': 'no-store' })
      for (const [name, value] of answer.headers) headers.set(name, value)
      return new Response(answer.body, { status: answer.status, headers })
    },
    { parse: 'none' },
  )
}

async function contextOf(request: Request, service: Service): Promise<CallContext> {
  try {
    return await callContext(request, service, 'mcp')
  } catch (error) {
    throw error instanceof Problem && error.code === 'UNAUTHORIZED'
      ? challenged(error, service, 'invalid_token')
      : error
  }
}

/** The error with the header by which a client finds where to sign in (RFC 9728). */
function challenged(problem: Problem, { config }: Service, error?: 'invalid_token'): Problem {
  problem.headers['www-authenticate'] = challenge(config.origin, error)
  return problem
}

/**
 * Prevents DNS rebinding: a page of another site must not reach a server on the user’s machine.
 * @throws Problem FORBIDDEN.
 */
function refuseOtherOrigins({ headers }: Request, { config: { origin } }: Service): void {
  const from = headers.get('origin')
  if (from !== null && from !== origin) throw new Problem('FORBIDDEN', `Origin must be ${origin} or omitted.`)
}
