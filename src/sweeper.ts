import { and, isNotNull, lt } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../db/client.ts'
import { bundleChanges, bundles, claims, session, verification } from '../db/schema.ts'

const HOUR_MS = 3_600_000
/** How long an anonymous creator's address is counted, as a keyed hash (decisions 4). */
const ADDRESS_KEPT_MS = 30 * 24 * HOUR_MS
/** Longer than any process takes to look for the others' changes. */
const CHANGES_KEPT_MS = HOUR_MS

/** Erases what has run out, now and then every hour; several processes may do so at once. Returns what ends it. */
export function startSweeper(store: Store, log: Logger): () => void {
  const run = () =>
    sweep(store, Date.now()).catch((error) => log.warn({ err: error }, 'what has run out could not be erased'))
  void run()
  const timer = setInterval(run, HOUR_MS)
  return () => clearInterval(timer)
}

async function sweep({ db, write }: Store, now: number): Promise<void> {
  const old = lt(bundles.createdAt, now - ADDRESS_KEPT_MS)
  await write([
    // A lapsed claim goes with the e-mail address that it was to be sent to (decisions 2).
    db.delete(claims).where(lt(claims.expiresAt, now)),
    db
      .update(bundles)
      .set({ addressHash: null })
      .where(and(isNotNull(bundles.addressHash), old)),
    db.delete(bundleChanges).where(lt(bundleChanges.at, now - CHANGES_KEPT_MS)),
    db.delete(session).where(lt(session.expiresAt, new Date(now))),
    db.delete(verification).where(lt(verification.expiresAt, new Date(now))),
  ])
}
