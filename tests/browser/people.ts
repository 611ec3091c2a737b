import type { BrowserContext } from 'playwright-core'
import type { Visitor } from '../people.ts'

/** Signs a browser in by giving it a visitor's cookies. */
export function addSession(context: BrowserContext, { cookies, server }: Visitor): Promise<void> {
  return context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: server.origin })))
}
