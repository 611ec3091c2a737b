import { actingAs } from '../../db/acting.ts'
import type { Service } from '../core/service.ts'

/** Makes one call of better-auth; `to` is the path and query below `/api/auth`. */
export type Send = (method: 'GET' | 'POST', to: string, body?: unknown) => Promise<Response>

/** Passes on only the headers that better-auth needs. What it writes is logged as done by the person of the session, if there is one. */
export async function sender(request: Request, { auth, config, readSession }: Service): Promise<Send> {
  const { handler } = await auth()
  const session = await readSession(request.headers)
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of ['cookie', 'user-agent', 'accept']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return (method, to, body) => {
    const sent = method === 'POST' ? { body: JSON.stringify(body) } : {}
    const call = () => handler(new Request(`${config.origin}/api/auth${to}`, { method, headers, ...sent }))
    return session === null ? call() : actingAs({ type: 'user', userId: session.userId, keyId: null }, call)
  }
}
