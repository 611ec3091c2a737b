import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { apiKeys, member, organization, owners, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { every, type Loop } from '../core/every.ts'
import { exactTime, minuteOf } from '../core/time.ts'
import { type Mailer, quoted } from '../mail/mailer.ts'
import type { Mail } from '../mail/smtp.ts'
import { SWITCHES, unsubscribeLink } from '../mail/switches.ts'

/** How long before its end a key’s owner is told. */
const BEFORE_MS = 7 * 86_400_000
const POLL_MS = 10_000
/** Keys looked at in one go. */
const AT_ONCE = 50

/**
 * Mails the owner of a key, or the admins of the organisation that owns it, a week before it ends. Any number of processes
 * may do so on one store: a key is marked in the transaction that stores its mails, so that one of them tells of it.
 */
export class KeyEndMails {
  #loop: Loop | undefined

  constructor(
    readonly store: Store,
    readonly config: Pick<Config, 'origin' | 'name' | 'secret'>,
    readonly mailer: Mailer,
    readonly log: Logger,
  ) {}

  /** Does nothing if mails reach nobody. */
  start(): void {
    if (!this.mailer.isConfigured) return
    this.#loop = every(POLL_MS, () => this.#tell(), this.log, 'could not look for keys that end soon; trying on')
  }

  /** Resolves when it looks for no more. */
  async stop(): Promise<void> {
    await this.#loop?.stop()
  }

  async #tell(): Promise<void> {
    const { db } = this.store
    const now = Date.now()
    const isNext = and(gt(apiKeys.expiresAt, now), lte(apiKeys.expiresAt, now + BEFORE_MS), isNull(apiKeys.endToldAt))
    const some = db
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(isNext)
      .orderBy(asc(apiKeys.expiresAt))
      .limit(AT_ONCE)
    for (;;) {
      // Nothing is written most of the time.
      const ids = (await some).map(({ id }) => id)
      if (ids.length === 0 || this.mailer.isFull) return
      const isAmong = inArray(apiKeys.id, ids)
      const isUntold = sql`NOT EXISTS (SELECT 1 FROM ${apiKeys} WHERE ${isAmong} AND ${apiKeys.endToldAt} IS NOT NULL)`
      const mark = db.update(apiKeys).set({ endToldAt: now }).where(and(isAmong, isUntold))
      await this.mailer.sendWith(await mailsFor(this.store, ids, this.config), isUntold, [mark])
    }
  }
}

/** A mail for each person who is to be told of some of these keys. Those that were meant to end so soon are no news. */
async function mailsFor(
  { db }: Store,
  ids: readonly number[],
  config: Pick<Config, 'origin' | 'name' | 'secret'>,
): Promise<Mail[]> {
  const rows = await db
    .select({
      name: apiKeys.name,
      endsAt: sql<number>`${apiKeys.expiresAt}`,
      organization: organization.name,
      userId: user.id,
      to: user.email,
    })
    .from(apiKeys)
    .innerJoin(owners, eq(owners.id, apiKeys.ownerId))
    .leftJoin(organization, eq(organization.id, owners.organizationId))
    .leftJoin(member, and(eq(member.organizationId, owners.organizationId), eq(member.role, 'admin')))
    .innerJoin(user, or(eq(user.id, owners.userId), eq(user.id, member.userId)))
    .where(
      and(
        inArray(apiKeys.id, [...ids]),
        isNull(apiKeys.revokedAt),
        isNull(apiKeys.minterLeftAt),
        isNull(apiKeys.replacedBy),
        isNotNull(apiKeys.expiresAt),
        sql`${apiKeys.expiresAt} - ${apiKeys.createdAt} > ${BEFORE_MS}`,
        eq(user.emailVerified, true),
        isNull(user.disabledAt),
        eq(SWITCHES.keyEnds, true),
      ),
    )
    .orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id))
  return [...Map.groupBy(rows, ({ userId }) => userId)].map(([userId, keys]) => mailOf(userId, keys, config))
}

interface Ending {
  name: string
  endsAt: number
  organization: string | null
  to: string
}

function mailOf(userId: string, keys: readonly Ending[], config: Pick<Config, 'origin' | 'name' | 'secret'>): Mail {
  const unsubscribe = unsubscribeLink(config, { userId, kind: 'keyEnds' })
  const each = keys.flatMap(({ name, endsAt, organization }) => [
    `${organization === null ? 'An API key of yours' : 'An API key of an organisation of yours'} ends on ${exactTime(minuteOf(endsAt))}:`,
    quoted(name),
    ...(organization === null ? [] : ['The organisation:', quoted(organization)]),
  ])
  const text = [
    ...each,
    `What uses it stops working then. If it is still needed, rotate it and give the new one a later end:\n\n${config.origin}/dashboard/keys`,
    `You get this a week before a key ends on ${config.name}. To get no such email any more:\n\n${unsubscribe}`,
  ].join('\n\n')
  const subject =
    keys.length === 1 ? `An API key on ${config.name} ends soon` : `${keys.length} API keys on ${config.name} end soon`
  return { to: keys[0]?.to ?? '', subject, text, unsubscribe }
}
