import { readFileSync } from 'node:fs'
import { unsubscribeLink } from '../src/mail/switches.ts'
import type { Person } from './people.ts'
import type { Server } from './server.ts'

/** The link that stops a person's mails about proposals, for a service with a file: not all of these send mails to take it from. */
export function unsubscribeLinkOf({ origin, database }: Server, { userId }: Person): string {
  return unsubscribeLink({ origin, secret: readFileSync(`${database}.secret`, 'utf8') }, { userId, kind: 'proposed' })
}
