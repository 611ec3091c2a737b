import { and, eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { bundleLinks, bundles, type Content, owners, proposals } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import { subjectOf } from '../bundles/edit/bundles.ts'
import { refuseUnfitTemplates } from '../bundles/variables/placeholders.ts'
import { shownUrl } from '../core/links.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import { namesIn } from '../core/template.js'
import { MAX_URL } from '../core/text.ts'
import { clip, withSingleSpaces } from '../imports/clean.ts'
import { withOmits } from '../policies/base.ts'
import { isTooLarge, withinBytes } from '../proposals/proposals.ts'
import { PROPOSAL_BOUNDS } from '../proposals/shapes.ts'
import { IS_OPEN } from '../proposals/stored.ts'
import { ARCHIVE } from './choices.ts'
import { isUnrepaired, type Link } from './pairs.ts'

// The service’s proposals for links that have moved or are broken: a person accepts them, and no result leads to two.

/** How many repairs can be open for an owner’s bundles; more are proposed once some are decided. */
const MAX_OPEN = 200
/** The most characters of a URL and of a title in a reason. */
const MAX_SHOWN = 120
const MAX_TITLE = 80

/** The parameters for proposing a repair. */
export interface Repairing {
  store: Store
  blockedHosts: Pick<BlockedHosts, 'refuse'>
}

/** Proposes the repair of a link in a bundle, if there is one that has not been proposed for this result. */
export async function proposeRepair({ store, blockedHosts }: Repairing, link: Link, bundleId: number, now: number) {
  const [found] = await store.db
    .select({ bundle: bundles, owner: { userId: owners.userId, organizationId: owners.organizationId } })
    .from(bundles)
    .innerJoin(owners, eq(owners.id, bundles.ownerId))
    .where(and(eq(bundles.id, bundleId), eq(owners.id, link.ownerId)))
  const repair = found === undefined ? null : repairOf(found.bundle, link, blockedHosts)
  if (found === undefined || repair === null) return
  const { versionNumber } = found.bundle
  const id = `p_${randomBase62(10)}`
  const ofOwner = sql`(SELECT count(*) FROM ${proposals} WHERE ${proposals.ownerId} = ${link.ownerId} AND ${IS_OPEN} AND ${proposals.repairs} IS NOT NULL)`
  const isSame = sql`EXISTS (SELECT 1 FROM ${bundles} WHERE ${bundles.id} = ${bundleId} AND ${bundles.ownerId} = ${link.ownerId} AND ${bundles.versionNumber} = ${versionNumber} AND ${bundles.deletedAt} IS NULL)`
  const writes: Query[] = [
    sql`INSERT INTO ${proposals} (id, bundle_id, owner_id, base_version, changes, reason, created_at, repairs)
      SELECT ${id}, ${bundleId}, ${link.ownerId}, ${versionNumber}, ${JSON.stringify(repair.changes)}, ${repair.reason}, ${now}, ${link.url}
      WHERE ${isUnrepaired(link, bundleId)} AND ${isSame} AND ${ofOwner} < ${MAX_OPEN} ON CONFLICT DO NOTHING`,
    store.db
      .update(bundleLinks)
      .set({ repairedOf: link.since })
      .where(
        and(
          eq(bundleLinks.bundleId, bundleId),
          eq(bundleLinks.linkId, link.id),
          sql`EXISTS (SELECT 1 FROM ${proposals} WHERE ${proposals.id} = ${id})`,
        ),
      ),
    ...withinBytes(subjectOf(found.owner)),
  ]
  try {
    await store.write(writes)
  } catch (error) {
    // People’s proposals have used up the space: tried again after the next probe.
    if (!isTooLarge(brokenConstraint(error))) throw error
  }
}

/** The changes of a repair, and the reason; null if nothing helps or nobody could accept it. */
function repairOf(bundle: Content, link: Link, blockedHosts: Repairing['blockedHosts']) {
  const to = link.state === 'moved' ? link.finalUrl : archived(link)
  const names = bundle.variables.map(({ name }) => name)
  if (to === null || to.length > MAX_URL || bundle.urls.includes(to) || namesIn(to, names).length > 0) return null
  const repaired = (url: string) => (url === link.url ? to : url)
  const urls = bundle.urls.map(repaired)
  try {
    blockedHosts.refuse({ ...bundle, urls })
    refuseUnfitTemplates({ ...bundle, urls })
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
  const [from, shown] = [link.url, to].map((url) => shownUrl(url, MAX_SHOWN))
  const reason =
    link.state === 'moved'
      ? `The link has moved for good: ${from} is now at ${shown}${titleThere(bundle, link)}`
      : `Nothing is at ${from} any more. This is the newest copy that the Wayback Machine may have of it.`
  // A rule that leaves the link out does so at its new address too.
  const { resolutionPolicy: rules, urlMetadata } = bundle
  const isLeftOut = rules?.rules.some(({ omit = [] }) => omit.includes(link.url)) ?? false
  const policy = rules !== null && isLeftOut ? { resolutionPolicy: withOmits(rules, repaired) } : {}
  return { changes: { urls, urlMetadata, ...policy }, reason: clip(reason, PROPOSAL_BOUNDS.text) }
}

/** A sentence that compares the title of the page to which a link has moved with the link’s own; empty if it was not read. */
function titleThere({ urls, urlMetadata }: Content, { url, finalTitle }: Link): string {
  if (finalTitle === null) return ''
  const own = withSingleSpaces(urlMetadata[urls.indexOf(url)]?.note ?? '')
  const [there, here] = [finalTitle, own].map((title) => clip(title, MAX_TITLE))
  if (own === finalTitle) return `. The page there has the title that the link has here: “${there}”`
  return `. The page there has the title “${there}”${own === '' ? '' : `, the link here “${here}”`}`
}

/** The address for a copy in the Wayback Machine from when the link broke: it leads to the nearest one. */
function archived({ url, since }: Link): string | null {
  return url.startsWith(ARCHIVE) ? null : `${ARCHIVE}${new Date(since).getUTCFullYear()}/${url}`
}
