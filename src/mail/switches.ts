import { timingSafeEqual } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { OPTIONAL_MAILS, type OptionalMail, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { routes } from '../core/routes.ts'
import { keyedHash } from '../core/secrets.ts'
import { realEmail } from '../identity/sessions.ts'

export { OPTIONAL_MAILS }

const SWITCH_NAMES = {
  proposed: 'mailProposed',
  decided: 'mailDecided',
  keyEnds: 'mailKeyEnds',
  linksBroken: 'mailLinksBroken',
} as const satisfies Record<OptionalMail, keyof typeof user.$inferInsert>

/** The column with the switch for each kind of mail. */
export const SWITCHES = {
  proposed: user[SWITCH_NAMES.proposed],
  decided: user[SWITCH_NAMES.decided],
  keyEnds: user[SWITCH_NAMES.keyEnds],
  linksBroken: user[SWITCH_NAMES.linksBroken],
} as const satisfies Record<OptionalMail, unknown>

/** Which optional mails a person wants. */
type MailSwitches = Record<OptionalMail, boolean>

/** A person's choice of mails and their address; null if there is no such account. */
export async function readerOf({ db }: Store, userId: string): Promise<{ email: string; mails: MailSwitches } | null> {
  const [row] = await db.select({ email: realEmail, mails: SWITCHES }).from(user).where(eq(user.id, userId))
  return row ?? null
}

/** Stores a person's choice of mails; kinds that are not named stay as they are. */
export async function setSwitches({ db, write }: Store, userId: string, wanted: Partial<MailSwitches>): Promise<void> {
  const columns = Object.fromEntries(OPTIONAL_MAILS.map((kind) => [SWITCH_NAMES[kind], wanted[kind]]))
  await write([db.update(user).set(columns).where(eq(user.id, userId))])
}

/** The kind of mail that a link stops, and for whom. */
interface Unsubscription {
  userId: string
  kind: OptionalMail
}

/**
 * The link in a mail that stops mails of its kind. It works as long as the account and the service's secret last, and without
 * signing in, because mail programs follow it too.
 */
export function unsubscribeLink(config: Pick<Config, 'origin' | 'secret'>, whom: Unsubscription): string {
  const token = `${whom.kind}.${whom.userId}.${signatureOf(config, whom)}`
  return `${config.origin}${routes.account.unsubscribe.href({ token })}`
}

/** Reads the last segment of such a link; null if it is none of this service's. */
export function unsubscriptionIn(token: string, config: Pick<Config, 'secret'>): Unsubscription | null {
  const [, name, userId = '', signature = ''] = /^(\w+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? []
  const kind = OPTIONAL_MAILS.find((one) => one === name)
  if (kind === undefined) return null
  const [sent, expected] = [Buffer.from(signature), Buffer.from(signatureOf(config, { userId, kind }))]
  return sent.length === expected.length && timingSafeEqual(sent, expected) ? { userId, kind } : null
}

function signatureOf({ secret }: Pick<Config, 'secret'>, { userId, kind }: Unsubscription): string {
  return keyedHash(secret, 'unsubscribe', `${kind}\0${userId}`)
}
