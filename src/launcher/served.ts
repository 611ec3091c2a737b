import { and, eq, isNull, sql } from 'drizzle-orm'
import { readNamed } from '../../db/catch-up.ts'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { prepared } from '../../db/prepared.ts'
import { blockedBundles, bundles, type Content, owners } from '../../db/schema.ts'
import { NAMES, pick, SHOWN_NAMES, type ShownName } from '../bundles/content.ts'

/** A bundle as its launcher is made from it; what of it a viewer may see is for `shownTo` to say. */
export type ServedBundle = NonNullable<Awaited<ReturnType<typeof find>>>

/** The bundle that is served under a slug, or null where there is none or it was deleted. */
export async function find(db: Store['db'], slug: string) {
  const [row] = await readNamed(db, () => finder(db).execute({ slug }))
  return row ?? null
}

const finder = prepared((db) =>
  db
    .select({
      id: bundles.id,
      slug: bundles.slug,
      ...pick(NAMES, bundles),
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
export interface PublicBundle extends Pick<Content, ShownName> {
  slug: string
  /** Whether nobody answers for it: it was made without an account. */
  isUnclaimed: boolean
  /** Whether rules decide who sees which tabs. */
  hasRules: boolean
  /** The rule that the viewer matched; null for fallthrough. */
  rule: {
    id: string
    /** Its name, where it is to be shown. */
    badge: string | null
  } | null
}

/** A bundle as it is shown to a viewer who matched `rule`: its tabs in place of the bundle's (decisions 6). */
export function shownTo(rule: Rule | null, bundle: ServedBundle): PublicBundle {
  const own = {
    slug: bundle.slug,
    ...pick(SHOWN_NAMES, bundle),
    isUnclaimed: bundle.ownerId === null,
    hasRules: bundle.resolutionPolicy !== null,
  }
  if (rule === null) return { ...own, rule }
  return {
    ...own,
    urls: rule.tabs.map(({ url }) => url),
    urlMetadata: rule.tabs.map(({ note }) => (note === undefined ? {} : { note })),
    rule: { id: rule.id, badge: rule.showBadge === true ? rule.name : null },
  }
}
