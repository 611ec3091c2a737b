import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { prepared } from '../../db/prepared.ts'
import { blockedBundles, bundles, owners, type UrlMetadata } from '../../db/schema.ts'

/** A bundle as its launcher is made from it; what of it a viewer may see is for `shownTo` to say. */
export type ServedBundle = NonNullable<Awaited<ReturnType<typeof find>>>

/** The bundle that is served under a slug, or null where there is none or it was deleted. */
export async function find(db: Store['db'], slug: string) {
  const [row] = await finder(db).execute({ slug })
  return row ?? null
}

const finder = prepared((db) =>
  db
    .select({
      id: bundles.id,
      slug: bundles.slug,
      title: bundles.title,
      description: bundles.description,
      urls: bundles.urls,
      urlMetadata: bundles.urlMetadata,
      resolutionPolicy: bundles.resolutionPolicy,
      /** The organisation that owns it, or null. */
      organizationId: owners.organizationId,
      ownerId: bundles.ownerId,
      /** When the operator took it down; null: it is up. */
      blockedAt: blockedBundles.at,
    })
    .from(bundles)
    .leftJoin(owners, eq(owners.id, bundles.ownerId))
    .leftJoin(blockedBundles, eq(blockedBundles.bundleId, bundles.id))
    .where(and(eq(bundles.slug, sql.placeholder('slug')), isNull(bundles.deletedAt)))
    .prepare(),
)

/** What a viewer may see of a bundle: views are given this and nothing more. */
export interface PublicBundle {
  slug: string
  title: string | null
  description: string | null
  urls: string[]
  urlMetadata: UrlMetadata[]
  /** Whether nobody answers for it: it was made without an account. */
  isUnclaimed: boolean
  /** The rule that the viewer matched; null for fallthrough. */
  rule: {
    id: string
    /** Its name, where it is to be shown. */
    badge: string | null
  } | null
}

/** A bundle as it is shown to a viewer who matched `rule`: its tabs in place of the bundle's (decisions 6). */
export function shownTo(
  rule: Rule | null,
  { slug, title, description, urls, urlMetadata, ownerId }: ServedBundle,
): PublicBundle {
  const isUnclaimed = ownerId === null
  if (rule === null) return { slug, title, description, urls, urlMetadata, isUnclaimed, rule }
  return {
    isUnclaimed,
    slug,
    title,
    description,
    urls: rule.tabs.map(({ url }) => url),
    urlMetadata: rule.tabs.map(({ note }) => (note === undefined ? {} : { note })),
    rule: { id: rule.id, badge: rule.showBadge === true ? rule.name : null },
  }
}
