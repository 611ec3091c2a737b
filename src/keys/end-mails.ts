import { and, asc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { apiKeys, member, organization, owners, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { routes } from '../core/routes.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { exactTime, minuteOf } from '../core/time.ts'
import { letterheadOfAll, under } from '../mail/letterhead.ts'
import { quoted } from '../mail/mailer.ts'
import { type Mailing, type Notice, type NoticeKind, noted } from '../mail/notices.ts'
import type { Mail } from '../mail/smtp.ts'
import { SWITCHES, unsubscribeLink } from '../mail/switches.ts'

/** How long before a key ends its owner is notified. */
const BEFORE_MS = 7 * 86_400_000
const POLL_MS = 10_000
/** Keys per batch. */
const AT_ONCE = 50
/** Most keys that a mail names. */
const MOST = 1_000

/**
 * Queues notices about keys that end within a week, for their owner or the admins of the organisation that owns them. Any
 * number of processes may do so on one store: a key is marked in the transaction that queues its notice.
 */
export class EndingKeys {
  #loop: Loop | undefined

  constructor(
    readonly store: Store,
    readonly mailer: Mailing['mailer'],
    readonly log: Logger,
  ) {}

  /** Does nothing if mails reach nobody. */
  start(): void {
    if (!this.mailer.isConfigured) return
    this.#loop = repeat(POLL_MS, () => this.#note(), this.log, 'could not look for keys that end soon; trying again')
  }

  /** Resolves when it has stopped looking. */
  async stop(): Promise<void> {
    await this.#loop?.stop()
  }

  async #note(): Promise<void> {
    const { db, write } = this.store
    const now = Date.now()
    const isNext = and(gt(apiKeys.expiresAt, now), lte(apiKeys.expiresAt, now + BEFORE_MS), isNull(apiKeys.endToldAt))
    const some = db
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(isNext)
      .orderBy(asc(apiKeys.expiresAt))
      .limit(AT_ONCE)
    for (;;) {
      // Read first, because most of the time there is nothing to write.
      const ids = (await some).map(({ id }) => id)
      if (ids.length === 0) return
      const isUntold = sql`${inArray(apiKeys.id, ids)} AND ${apiKeys.endToldAt} IS NULL`
      const keys = sql`(SELECT json_group_array(CAST(id AS TEXT)) FROM (${keysOf(isUntold)}))`
      const cause = { kind: 'keyEnds', bundleId: null, ids: keys, most: MOST, dueAt: now } as const
      // Looked up by the keys, because there may be very many people.
      const people = sql`SELECT ${owners.userId} FROM ${apiKeys} JOIN ${owners} ON ${owners.id} = ${apiKeys.ownerId} WHERE ${isUntold}
        UNION ALL SELECT ${member.userId} FROM ${apiKeys} JOIN ${owners} ON ${owners.id} = ${apiKeys.ownerId}
        JOIN ${member} ON ${member.organizationId} = ${owners.organizationId} WHERE ${isUntold}`
      await write([
        ...noted(this.mailer, cause, sql`${user.id} IN (${people}) AND EXISTS (${keysOf(isUntold)})`),
        db.update(apiKeys).set({ endToldAt: now }).where(isUntold),
      ])
    }
  }
}

/**
 * A query for the ids of the keys that the person in a row of `user` is notified about. Keys made for a week or less are left
 * out.
 */
function keysOf(isAmong: SQL): SQL {
  return sql`SELECT ${apiKeys.id} AS id FROM ${apiKeys} JOIN ${owners} ON ${owners.id} = ${apiKeys.ownerId}
    WHERE ${isAmong} AND ${apiKeys.revokedAt} IS NULL AND ${apiKeys.minterLeftAt} IS NULL AND ${apiKeys.replacedBy} IS NULL
      AND ${apiKeys.expiresAt} - ${apiKeys.createdAt} > ${BEFORE_MS}
      AND (${owners.userId} = ${user.id} OR EXISTS (SELECT 1 FROM ${member}
        WHERE ${member.organizationId} = ${owners.organizationId} AND ${member.userId} = ${user.id} AND ${member.role} = 'admin'))
    ORDER BY ${apiKeys.expiresAt}, ${apiKeys.id}`
}

/** Mails about keys that end. */
export function keyEndMails(store: Pick<Store, 'db'>, config: Pick<Config, 'origin' | 'name' | 'secret'>): NoticeKind {
  const make = async ({ userId, waiting }: Notice): Promise<Mail | null> => {
    const isAmong = sql`${apiKeys.id} IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(waiting)}))`
    const keys = await store.db
      .select({
        ownerId: owners.id,
        name: apiKeys.name,
        endsAt: sql<number>`${apiKeys.expiresAt}`,
        organization: organization.name,
        to: user.email,
      })
      .from(apiKeys)
      .innerJoin(owners, eq(owners.id, apiKeys.ownerId))
      .leftJoin(organization, eq(organization.id, owners.organizationId))
      .innerJoin(user, eq(user.id, userId))
      .where(
        and(
          sql`${apiKeys.id} IN (${keysOf(isAmong)})`,
          eq(user.emailVerified, true),
          isNull(user.disabledAt),
          eq(SWITCHES.keyEnds, true),
        ),
      )
      .orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id))
    return keys.length === 0 ? null : under(await letterheadOfAll(store, keys), mailOf(userId, keys, config), config)
  }
  return { everyMs: 0, make }
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
    `${organization === null ? 'Your API key' : 'An API key in your organisation'} ends on ${exactTime(minuteOf(endsAt))}:`,
    quoted(name),
    ...(organization === null ? [] : ['The organisation:', quoted(organization)]),
  ])
  const text = [
    ...each,
    `Anything that uses it stops working then. If you still need it, rotate it and choose a later end:\n\n${config.origin}${routes.keys.list.href()}`,
    `You get this a week before a key ends on ${config.name}. To stop these emails:\n\n${unsubscribe}`,
  ].join('\n\n')
  const subject =
    keys.length === 1 ? `An API key on ${config.name} ends soon` : `${keys.length} API keys on ${config.name} end soon`
  return { to: keys[0]?.to ?? '', subject, text, unsubscribe }
}
