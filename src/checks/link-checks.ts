import { type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { checkedLinks, linkMails, linksPending } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config/config.ts'
import { every, type Loop } from '../core/every.ts'
import type { Mailer } from '../mail/mailer.ts'
import { CLOCK } from '../outgoing/shared-turns.ts'
import { Checker } from './checker.ts'

/** How often it looks for bundles that have changed, and for links that are due. */
const POLL_MS = 1_000
const MAIL_POLL_MS = 10_000
/** Between two batches of bundles, so that writes need not wait for more than one. */
const PAUSE_MS = 20
/** How long a stop waits for answers. What is not answered by then is asked again. */
const STOP_WITHIN_MS = 3_000

/** Keeps the links of bundles under observation, in the background. */
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
   * Links follow their bundles also where they are not looked at, so that nothing is kept of what was erased. What works on them is
   * loaded once there is work: most of it needs more than launchers do.
   */
  start(): void {
    const { store, config, mailer, log } = this
    const follow = async () => {
      if (!(await isAny(store, sql`${linksPending}`))) return
      const { followSome } = await import('./followed.ts')
      if (await followSome(store, config, CLOCK.now())) following.runWithin(PAUSE_MS)
    }
    const following = every(POLL_MS, follow, log, 'the links of changed bundles could not be read; trying on')
    this.#loops = [following]
    if (!config.linkChecks) return
    const tell = async () => {
      if (!(await isAny(store, sql`${checkedLinks} WHERE ${checkedLinks.toldUpTo} IS NOT NULL`))) return
      const { tellSome } = await import('./telling.ts')
      if (await tellSome(this, CLOCK.now())) telling.runWithin(PAUSE_MS)
    }
    const telling = every(POLL_MS, tell, log, 'what was found of links could not be told; trying on')
    const look = () => this.checker.begin()
    this.#loops.push(every(POLL_MS, look, log, 'links could not be looked at; trying on'), telling)
    if (!mailer.isConfigured) return
    const mail = async () => {
      if (!(await isAny(store, sql`${linkMails} WHERE ${linkMails.dueAt} <= ${CLOCK.now()}`))) return
      const { mailSome } = await import('./mails.ts')
      await mailSome(store, mailer, config, CLOCK.now())
    }
    this.#loops.push(every(MAIL_POLL_MS, mail, log, 'nobody could be told of broken links; trying on'))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    await this.checker.stop(STOP_WITHIN_MS)
  }
}

/** Whether a table has a row. */
async function isAny({ db }: Store, rows: SQL): Promise<boolean> {
  const found = await db.select({ one: sql`1` }).from(sql`(SELECT 1 FROM ${rows} LIMIT 1)`)
  return found.length > 0
}
