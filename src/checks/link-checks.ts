import { type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { isUnread } from '../../db/feed.ts'
import { bundleChanges, checkedLinks } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config/config.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { NoticeKind } from '../mail/notices.ts'
import { CLOCK } from '../outgoing/turns.ts'
import { Checker } from './checker.ts'

/** How often the store is polled for changed bundles and for links that are due. */
const POLL_MS = 1_000
/** The pause between batches of bundles, so that writes need not wait for more than one. */
const PAUSE_MS = 20
/** A person gets at most one mail about broken links in this time. */
const MAIL_EVERY_MS = 7 * 86_400_000
/** How long stopping waits for answers. Requests without one by then are repeated later. */
const STOP_WITHIN_MS = 3_000

/** Checks the links of bundles in the background. */
export class LinkChecks {
  readonly checker: Checker
  #loops: Loop[] = []

  constructor(
    readonly store: Store,
    readonly config: Pick<Config, 'origin' | 'name' | 'secret' | 'outgoingPrivateNetworks' | 'linkChecks'>,
    readonly mailer: Mailer,
    readonly blockedHosts: Pick<BlockedHosts, 'refuse'>,
    readonly log: Logger,
  ) {
    this.checker = new Checker(store, config, log, CLOCK)
  }

  /**
   * Starts the loops. Links follow their bundles even if checks are off, so that nothing remains of erased bundles. Modules are
   * loaded once there is work: most need more than launchers do.
   */
  start(): void {
    const { store, config, log } = this
    const follow = async () => {
      if (!(await isAny(store, sql`${bundleChanges} WHERE ${isUnread('forLinks')}`))) return
      const { followSome } = await import('./followed.ts')
      if (await followSome(store, config, CLOCK.now())) following.runWithin(PAUSE_MS)
    }
    const following = repeat(POLL_MS, follow, log, 'the links of changed bundles could not be read; trying again')
    this.#loops = [following]
    if (!config.linkChecks) return
    const tell = async () => {
      if (!(await isAny(store, sql`${checkedLinks} WHERE ${checkedLinks.lastNotifiedBundleId} IS NOT NULL`))) return
      const { tellSome } = await import('./telling.ts')
      if (await tellSome(this, CLOCK.now())) telling.runWithin(PAUSE_MS)
    }
    const telling = repeat(POLL_MS, tell, log, 'the results of link checks could not be told; trying again')
    const check = () => this.checker.begin()
    this.#loops.push(repeat(POLL_MS, check, log, 'links could not be looked at; trying again'), telling)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    await this.checker.stop(STOP_WITHIN_MS)
  }
}

/** Mails about broken links; none if checks are off. */
export function brokenLinkMails(
  store: Store,
  config: Pick<Config, 'origin' | 'name' | 'secret' | 'linkChecks'>,
): NoticeKind {
  return {
    everyMs: MAIL_EVERY_MS,
    make: async ({ userId }) =>
      config.linkChecks ? (await import('./mails.ts')).mailFor(store, userId, config) : null,
  }
}

/** Whether a table has a row that meets a condition. @param rows the table, with its WHERE clause. */
async function isAny({ db }: Store, rows: SQL): Promise<boolean> {
  const found = await db.select({ one: sql`1` }).from(sql`(SELECT 1 FROM ${rows} LIMIT 1)`)
  return found.length > 0
}
