import { Elysia } from 'elysia'
import { execute, type Operation } from '../operation.ts'
import { Problem } from '../problem.ts'
import type { Service } from '../service.ts'
import { readJson } from './body.ts'
import { asking } from './client.ts'
import { typed } from './fields.ts'
import { empty, json } from './respond.ts'

const JSON_ONLY = ['application/json']

/** Every operation as a JSON route below `/api`; a method that a path does not have is 405 with `Allow`. */
export function api(operations: readonly Operation[], service: Service) {
  const app = new Elysia()
  const methodsOf = new Map<string, string[]>()
  for (const operation of operations) {
    const [method = '', path = ''] = operation.route.split(' ')
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
    app.route(
      method,
      `/api${path}`,
      async ({ request, params }) => {
        const decode = () => readInput(operation, request, params ?? {})
        const { body, headers } = await execute(operation, decode, await asking(request, service), service)
        const status = operation.status ?? 200
        return status === 204 ? empty(status, headers) : json(body, status, headers)
      },
      { parse: 'none' },
    )
  }
  for (const [path, methods] of methodsOf) {
    const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    app.all(`/api${path}`, () => refuseMethod(allow), { parse: 'none' })
  }
  return app
}

/** Answers a method that a path does not have. */
export function refuseMethod(allow: readonly string[]): never {
  throw new Problem('METHOD_NOT_ALLOWED', `This address takes ${allow.join(', ')}.`, {
    headers: { allow: allow.join(', ') },
  })
}

/** One flat input: the query or the body, and over it the path's own parameters, which win. */
async function readInput(operation: Operation, request: Request, params: Record<string, string>): Promise<unknown> {
  const path = typed(operation.input, params)
  if (/^(GET|DELETE) /.test(operation.route)) {
    return { ...typed(operation.input, Object.fromEntries(new URL(request.url).searchParams)), ...path }
  }
  if (operation.body === 'none' && (request.body === null || request.headers.get('content-length') === '0')) return path
  const body = await readJson(request, operation.bodyTypes ?? JSON_ONLY)
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new Problem('BAD_REQUEST', 'The body must be a JSON object')
  }
  return { ...body, ...path }
}
