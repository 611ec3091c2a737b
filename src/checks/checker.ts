import { setImmediate as otherWork } from 'node:timers/promises'
import { and, asc, eq, gte, inArray, lte, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Query, Store } from '../../db/client.ts'
import { checkedLinks, owners, proposals, user } from '../../db/schema.ts'
import type { Clock } from '../outgoing/shared-turns.ts'
import { after, LOOK_EVERY_MS, MOVES_BEFORE_TITLE, type Seen } from './findings.ts'
import { SharedHosts } from './hosts.ts'
import type { Looking } from './look.ts'
import { type Link, withdrawRepairs } from './pairs.ts'

/** Links that a process looks at at once, each of another host. */
const AT_ONCE = 16
/** Of those, links of one owner: sites that are silent take a minute each, and must not hold up everybody else’s. */
const OF_OWNER_AT_ONCE = 4
/** When a host is looked at again, behind all others that are due, and when one of whose owner too many are. */
const NEXT_MS = 1_000
const LATER_MS = 5_000
/** Links of a host read to find one whose owner wants it looked at. */
const LINKS_READ = 20
/** Owners of one link who learn what was found in one write. */
const OWNERS_AT_ONCE = 50
/** Whether the owner of a link wants it looked at, and is not kept out by the operator. */
const IS_WANTED = sql<number | null>`${owners.checkLinks} AND ${user.disabledAt} IS NULL`

/** Whose link it is, by the id of the person or the organisation. */
const ACCOUNT = sql<string>`coalesce(${owners.userId}, ${owners.organizationId})`

/** A link to look at. */
interface Next {
  link: Link
  account: string
}

/** Looks at a link; `look.ts`, except in tests of how many. */
type Look = (url: string, looking: Looking) => Promise<Seen>

/** Loaded with the first look: most processes make none for hours. */
const lookNow: Look = async (url, looking) => (await import('./look.ts')).look(url, looking)

/**
 * Looks at links that are due. Any number of processes may do so on one store: each takes the host of a link first. A look is
 * made again only if a process dies before it has stored what it found.
 */
export class Checker {
  /** Links looked at. */
  looks = 0
  readonly #hosts: SharedHosts
  readonly #looking = new Set<Promise<void>>()
  /** The owner of each link that is looked at now. */
  readonly #owners: number[] = []
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly site: Looking['site'],
    readonly log: Logger,
    readonly clock: Clock,
    readonly look: Look = lookNow,
  ) {
    this.#hosts = new SharedHosts(store, clock)
  }

  /** Begins to look at some links that are due. @returns at how many hosts. */
  async begin(): Promise<number> {
    if (this.#isStopping || this.#looking.size >= AT_ONCE) return 0
    const hosts = await this.#hosts.take(AT_ONCE - this.#looking.size)
    for (const host of hosts) {
      const look: Promise<void> = this.#lookAt(host)
        .catch((error) =>
          this.log.warn({ err: error }, 'what was found of a link could not be stored; trying again later'),
        )
        .finally(() => this.#looking.delete(look))
      this.#looking.add(look)
      await otherWork()
    }
    return hosts.length
  }

  /** Resolves when no look is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#looking)
  }

  /** Begins no further look, and waits for those under way, or for as long as given. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    await Promise.race([this.settled(), promise])
    clearTimeout(timer)
    if (this.#looking.size > 0) await this.#hosts.releaseAll()
  }

  async #lookAt(host: string): Promise<void> {
    const [next, unwanted] = await this.#nextOf(host)
    const isTooMany = this.#owners.filter((owner) => owner === next?.link.ownerId).length >= OF_OWNER_AT_ONCE
    const found = next === undefined || isTooMany ? [] : await this.#lookFor(next)
    const again = this.clock.now() + (isTooMany ? LATER_MS : NEXT_MS)
    await this.store.write([...found, ...unwanted, ...this.#hosts.release(host, again)])
  }

  /** The writes of what a look at a link finds. */
  async #lookFor({ link, account }: Next): Promise<Query[]> {
    this.#owners.push(link.ownerId)
    const hosts = this.#hosts.forLooksOf(link.ownerId)
    const seen = await this.#titleWanted(link)
      .then((titleOf) => this.look(link.url, { site: this.site, hosts, account, titleOf }))
      .catch((error): Seen => {
        this.log.warn({ err: error }, 'a link could not be looked at; trying again another day')
        // Looked at again at once, it would hold up all others of its host.
        return { kind: 'unseen' }
      })
      .finally(() => this.#owners.splice(this.#owners.indexOf(link.ownerId), 1))
    this.looks += 1
    return this.#found(link, seen)
  }

  /** Where a link will be found to have moved, by any of its owners. */
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

  /** The next link of a host to look at, and writes that put those off whose owners want no looks. */
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
      .set({ dueAt: now + LOOK_EVERY_MS })
      .where(inArray(checkedLinks.id, before))
    return [due[at], before.length === 0 ? [] : [putOff]]
  }

  /** The writes of what a look found, for all owners for whom that link is due. */
  async #found({ hash }: Link, seen: Seen): Promise<Query[]> {
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
      const { url: _, ...next } = after(link, seen, now)
      // Nobody has it any more, or it was looked at by somebody else meanwhile.
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
