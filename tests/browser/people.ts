import type { BrowserContext } from 'playwright-core'
import type { Visitor } from '../people.ts'

/** Gives a browser the cookies of somebody who is signed in. */
export function enter(context: BrowserContext, { cookies, server }: Visitor): Promise<void> {
  return context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: server.origin })))
}
