import { setImmediate as otherWork } from 'node:timers/promises'
import { and, asc, eq, gte, inArray, lte, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Query, Store } from '../../db/client.ts'
import { checkedLinks, owners, proposals, user } from '../../db/schema.ts'
import type { Clock } from '../outgoing/turns.ts'
import { after, CHECK_EVERY_MS, type CheckResult, MOVES_BEFORE_TITLE } from './findings.ts'
import { SharedHosts } from './hosts.ts'
import { type Link, withdrawRepairs } from './pairs.ts'
import type { Probing } from './probe.ts'

/** How many links a process checks at once, each on a different host. */
const AT_ONCE = 16
/** How many of those belong to one owner: silent sites take a minute each, and must not hold up the links of others. */
const OF_OWNER_AT_ONCE = 4
/** Delay until a host is checked again, after all others that are due; longer if the link’s owner has too many checks running. */
const NEXT_MS = 1_000
const LATER_MS = 5_000
/** How many links of a host are read to find one whose owner wants it checked. */
const LINKS_READ = 20
/** For how many owners of the same link one write stores the result. */
const OWNERS_AT_ONCE = 50
/** The condition that the owner of a link wants it checked and is not disabled by the operator. */
const IS_WANTED = sql<number | null>`${owners.checkLinks} AND ${user.disabledAt} IS NULL`

/** The owner of a link, as the id of the person or organisation. */
const ACCOUNT = sql<string>`coalesce(${owners.userId}, ${owners.organizationId})`

/** A link to check. */
interface Next {
  link: Link
  account: string
}

/** Checks a link: `probe.ts`, except in tests that count probes. */
type Probe = (url: string, probing: Probing) => Promise<CheckResult>

/** Loads the module with the first probe: most processes make none for hours. */
const probeNow: Probe = async (url, probing) => (await import('./probe.ts')).probe(url, probing)

/**
 * Checks links that are due. Any number of processes may do so on one store: each first leases the host of a link. A probe is
 * repeated only if a process dies before it has stored the result.
 */
export class Checker {
  /** How many links have been checked. */
  probes = 0
  readonly #hosts: SharedHosts
  readonly #checking = new Map<string, Promise<void>>()
  /** The owner of each link being checked. */
  readonly #owners: number[] = []
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly site: Probing['site'],
    readonly log: Logger,
    readonly clock: Clock,
    readonly probe: Probe = probeNow,
  ) {
    this.#hosts = new SharedHosts(store, clock)
  }

  /** Starts to check some links that are due. @returns the number of their hosts. */
  async begin(): Promise<number> {
    if (this.#isStopping || this.#checking.size >= AT_ONCE) return 0
    const hosts = await this.#hosts.queue.takeDue(AT_ONCE - this.#checking.size)
    for (const host of hosts) {
      const check = this.#checkAt(host)
        .catch((error) =>
          this.log.warn({ err: error }, 'the result of a link check could not be stored; trying again later'),
        )
        .finally(() => this.#checking.delete(host))
      this.#checking.set(host, check)
      await otherWork()
    }
    return hosts.length
  }

  /** Resolves when all running probes have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#checking.values())
  }

  /** Starts no further probe, and waits at most the given time for running ones. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    await Promise.race([this.settled(), promise])
    clearTimeout(timer)
    // Other processes repeat these probes.
    await this.#hosts.queue.giveBack([...this.#checking.keys()])
  }

  async #checkAt(host: string): Promise<void> {
    const [next, unwanted] = await this.#nextOf(host)
    const isTooMany = this.#owners.filter((owner) => owner === next?.link.ownerId).length >= OF_OWNER_AT_ONCE
    const found = next === undefined || isTooMany ? [] : await this.#checkFor(next)
    const again = this.clock.now() + (isTooMany ? LATER_MS : NEXT_MS)
    await this.store.write([...found, ...unwanted, ...this.#hosts.release(host, again)])
  }

  /** Probes a link. @returns the writes that store the result. */
  async #checkFor({ link, account }: Next): Promise<Query[]> {
    this.#owners.push(link.ownerId)
    const hosts = this.#hosts.forLooksOf(link.ownerId)
    const result = await this.#titleWanted(link)
      .then((titleOf) => this.probe(link.url, { site: this.site, hosts, account, titleOf }))
      .catch((error): CheckResult => {
        this.log.warn({ err: error }, 'a link could not be checked; trying again another day')
        // Checked again at once, it would hold up all others on its host.
        return { kind: 'unchecked' }
      })
      .finally(() => this.#owners.splice(this.#owners.indexOf(link.ownerId), 1))
    this.probes += 1
    return this.#found(link, result)
  }

  /** The address to which a link has moved, or may with this probe, for any of its owners; null for none. */
  async #titleWanted({ hash }: Link): Promise<string | null> {
    const [moving] = await this.store.db
      .select({ finalUrl: checkedLinks.finalUrl })
      .from(checkedLinks)
      .where(
        and(
          eq(checkedLinks.hash, hash),
          gte(checkedLinks.moves, MOVES_BEFORE_TITLE),
          lte(checkedLinks.dueAt, this.clock.now()),
        ),
      )
      .limit(1)
    return moving?.finalUrl ?? null
  }

  /** The next link on a host to check, and the write that postpones those whose owners want no checks. */
  async #nextOf(host: string): Promise<[Next | undefined, Query[]]> {
    const { db } = this.store
    const now = this.clock.now()
    const due = await db
      .select({ link: checkedLinks, isWanted: IS_WANTED, account: ACCOUNT })
      .from(checkedLinks)
      .leftJoin(owners, eq(owners.id, checkedLinks.ownerId))
      .leftJoin(user, eq(user.id, owners.userId))
      .where(and(eq(checkedLinks.host, host), lte(checkedLinks.dueAt, now)))
      .orderBy(asc(checkedLinks.dueAt))
      .limit(LINKS_READ)
    const at = due.findIndex(({ isWanted }) => isWanted === 1)
    const before = due.slice(0, at === -1 ? due.length : at).map(({ link }) => link.id)
    const putOff = db
      .update(checkedLinks)
      .set({ dueAt: now + CHECK_EVERY_MS })
      .where(inArray(checkedLinks.id, before))
    return [due[at], before.length === 0 ? [] : [putOff]]
  }

  /** The writes that store a result, for all owners for whom the link is due. */
  async #found({ hash }: Link, result: CheckResult): Promise<Query[]> {
    const { db } = this.store
    const now = this.clock.now()
    const links = await db
      .select({ link: checkedLinks })
      .from(checkedLinks)
      .innerJoin(owners, eq(owners.id, checkedLinks.ownerId))
      .leftJoin(user, eq(user.id, owners.userId))
      .where(and(eq(checkedLinks.hash, hash), lte(checkedLinks.dueAt, now), IS_WANTED))
      .limit(OWNERS_AT_ONCE)
    return links.flatMap(({ link }) => {
      const { url: _, ...next } = after(link, result, now)
      // Not if nobody has the link any more, or another process has checked it meanwhile.
      const isSame = and(eq(checkedLinks.id, link.id), eq(checkedLinks.dueAt, sql`${link.dueAt}`))
      const isOver = next.state !== link.state && (link.state === 'moved' || link.state === 'broken')
      const itsRepairs = and(eq(proposals.ownerId, link.ownerId), eq(proposals.repairs, link.url))
      return [
        ...(isOver ? [withdrawRepairs(db, itsRepairs, now)] : []),
        db.update(checkedLinks).set(next).where(isSame),
      ]
    })
  }
}
