import { and, isNotNull, isNull, lt, lte } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../db/client.ts'
import {
  bundleChanges,
  bundles,
  claims,
  counterBatches,
  idempotencyAnswers,
  session,
  verification,
  webhookDeliveries,
  webhookEntities,
} from '../db/schema.ts'
import { ANSWERS_KEPT_MS } from './core/idempotency.ts'

const EVERY_MS = 600_000
const CHANGES_KEPT_MS = 3_600_000
/** Longer than a batch of counts is retried while the store is down. */
const BATCH_IDS_KEPT_MS = 3_600_000
const ADDRESS_HASHES_KEPT_MS = 30 * 86_400_000
/** Providers let events be re-sent by hand for about this long. */
const DELIVERIES_KEPT_MS = 30 * 86_400_000

/**
 * Deletes expired data, now and every ten minutes: lapsed claims with their e-mail addresses, address hashes after 30
 * days (decisions 4), stored answers after a day, expired sessions and verifications, webhook deliveries too old to be
 * re-sent.
 * @returns a function that stops it.
 */
export function startSweeping(store: Store, log: Logger): () => void {
  const run = () =>
    sweep(store, Date.now()).catch((error) =>
      log.warn({ err: error }, 'the sweep failed; the next one makes up for it'),
    )
  void run()
  const timer = setInterval(run, EVERY_MS)
  return () => clearInterval(timer)
}

async function sweep({ db, write }: Store, now: number): Promise<void> {
  await write([
    db.delete(claims).where(lte(claims.expiresAt, now)),
    db
      .update(bundles)
      .set({ addressHash: null })
      .where(and(isNotNull(bundles.addressHash), lt(bundles.createdAt, now - ADDRESS_HASHES_KEPT_MS))),
    db.delete(bundleChanges).where(lt(bundleChanges.at, now - CHANGES_KEPT_MS)),
    db.delete(counterBatches).where(lt(counterBatches.at, now - BATCH_IDS_KEPT_MS)),
    db.delete(idempotencyAnswers).where(lt(idempotencyAnswers.createdAt, now - ANSWERS_KEPT_MS)),
    db.delete(session).where(lt(session.expiresAt, new Date(now))),
    db.delete(verification).where(lt(verification.expiresAt, new Date(now))),
    db.delete(webhookDeliveries).where(lt(webhookDeliveries.receivedAt, now - DELIVERIES_KEPT_MS)),
    // Entities linked to an account stay: the next event about that person is matched by them.
    db
      .delete(webhookEntities)
      .where(and(isNull(webhookEntities.userId), lt(webhookEntities.at, now - DELIVERIES_KEPT_MS))),
  ])
}
