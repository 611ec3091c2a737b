import { and, eq, inArray } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles, bundleVersions } from '../../db/schema.ts'
import { actorName, bundleName, ERASED, isOfBundle, sayingOf } from '../activity/sentence.ts'
import { subjectOf } from '../bundles/edit/bundles.ts'
import { VERSION_COLUMNS } from '../bundles/edit/stored.ts'
import { healthOf } from '../bundles/links/health.ts'
import { linkOf } from '../bundles/links/link-fields.ts'
import type { Config } from '../config/config.ts'
import { count } from '../core/words.ts'
import { eventWith } from '../events/stored.ts'
import { type ChatMessage, lineOf } from './chat-bodies.ts'
import type { Leased } from './due.ts'

type Site = Pick<Config, 'origin' | 'shortPaths' | 'name' | 'linkChecks'>

/** The most of a person's name and of a host, in UTF-16 units. */
const MAX_NAME = 80
/** Links that a message names. */
const MAX_LINKS = 3

/**
 * What a chat is told of an event: the sentence of the activity log, and which links changed. Null if its bundle is erased and
 * nothing is left to tell.
 */
export async function chatMessage(store: Store, leased: Leased, site: Site): Promise<ChatMessage | null> {
  const { event: type, eventId } = leased.row
  if (type === 'webhook.test') {
    const before = `This is a test message from ${lineOf(site.name, MAX_NAME)}. It works.`
    return { before, title: null, after: '', lines: [] }
  }
  const event = eventId === null ? null : await eventWith(store, subjectOf(leased.owner), eventId)
  const target = event?.target ?? (await targetOf(store, leased))
  if (target === null || !isOfBundle(type)) return null
  const [before, after] = sayingOf(type, event ?? {})
  const name = bundleName(target)
  const { slug } = target
  return {
    before: `${lineOf(event === null ? 'Somebody' : withoutAddress(actorName(event.actor)), MAX_NAME)} ${before} `,
    title: {
      text: name === null ? ERASED : lineOf(name),
      href: slug === undefined || type === 'bundle.deleted' ? null : linkOf(slug, site),
    },
    after: after === undefined ? '' : ` ${after}`,
    lines: await linesOf(store, leased, site),
  }
}

/** A person without a name is known by their address, which is no business of a chat. */
function withoutAddress(name: string): string {
  return name.replace(/^(\S+)@\S+$/, '$1')
}

/** The bundle of an event that the log no longer has. */
async function targetOf({ db }: Store, { row, webhook }: Leased) {
  if (row.bundleId === null) return null
  const [found] = await db
    .select({ slug: bundles.slug, title: bundles.title, ownerId: bundles.ownerId })
    .from(bundles)
    .where(eq(bundles.id, row.bundleId))
  if (found === undefined) return null
  const { slug, title, ownerId } = found
  const isTheirs = ownerId === webhook.ownerId && title !== null
  return { type: 'bundle' as const, id: slug, slug, ...(isTheirs ? { name: title } : {}) }
}

/** The links that an event is about, by their hosts: a whole address may be a secret, and a chat has other readers. */
async function linesOf(store: Store, { row, webhook }: Leased, site: Site): Promise<string[]> {
  const { event, bundleId, versionNumber } = row
  if (bundleId === null || versionNumber === null) return []
  if (event === 'bundle.links_broken') return named({ Broken: await brokenIn(store, { bundleId, webhook }, site) })
  if (event !== 'bundle.created' && event !== 'bundle.updated') return []
  const versions = await store.db
    .select({ number: VERSION_COLUMNS.versionNumber, urls: VERSION_COLUMNS.urls })
    .from(bundleVersions)
    .where(
      and(
        eq(bundleVersions.bundleId, bundleId),
        inArray(bundleVersions.versionNumber, [versionNumber - 1, versionNumber]),
      ),
    )
  const urlsOf = (wanted: number) => versions.find(({ number }) => number === wanted)?.urls
  const [earlier, now] = [urlsOf(versionNumber - 1), urlsOf(versionNumber)]
  if (now === undefined || (earlier === undefined && event === 'bundle.updated')) return []
  return named({ Added: without(now, earlier ?? []), Removed: without(earlier ?? [], now) })
}

async function brokenIn(
  store: Store,
  { bundleId, webhook }: { bundleId: number; webhook: Leased['webhook'] },
  site: Site,
) {
  const [bundle] = await store.db
    .select({ id: bundles.id, urls: bundles.urls })
    .from(bundles)
    .where(and(eq(bundles.id, bundleId), eq(bundles.ownerId, webhook.ownerId)))
  const health = bundle === undefined ? undefined : await healthOf({ store, config: site }, bundle)
  return (health ?? []).filter(({ state }) => state === 'broken').map(({ url }) => url)
}

function without(urls: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return [...new Set(urls)].filter((url) => !known.has(url))
}

/** `Added: docs.example, wiki.example`, a line for each kind, at most three links in all; then how many more there are. */
function named(kinds: Record<string, readonly string[]>): string[] {
  let left = MAX_LINKS
  let more = 0
  const lines = Object.entries(kinds).flatMap(([kind, urls]) => {
    const told = urls.slice(0, left)
    left -= told.length
    more += urls.length - told.length
    return told.length === 0 ? [] : [`${kind}: ${told.map((url) => lineOf(new URL(url).host, MAX_NAME)).join(', ')}`]
  })
  return more === 0 ? lines : [...lines, `and ${count(more, 'more link', 'more links')}`]
}
