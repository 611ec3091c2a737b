import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import {
  blockedBundles,
  bundles,
  type Content,
  idNamed,
  LOOK,
  type OrganizationLook,
  organization,
  owners,
} from '../../db/schema.ts'
import { NAMES, type NameWith, PUBLIC_NAMES, pick } from '../bundles/content/content.ts'
import { iconsOf } from '../icons/kept.ts'
import type { SiteIcons } from '../icons/site.ts'
import type { ShownRule } from '../policies/base.ts'

// Re-exported for views, which may not import the database.
export type { OrganizationLook }

/** The columns from which launchers are made; `publicBundle` selects those that viewers may see. */
export type ServedBundle = NonNullable<Awaited<ReturnType<typeof find>>>

/**
 * The bundle with a slug; null if there is none or it was deleted.
 * @param showsIcons whether to read the icons of its sites too.
 */
export async function find(db: Store['db'], slug: string, showsIcons = false) {
  const [row] = await finder(db).execute({ slug })
  if (row === undefined) return null
  const siteIcons: SiteIcons = showsIcons && row.icons ? await iconsOf(db, row) : {}
  const { name, color, pictureId, ...served } = row
  const shown: OrganizationLook | null = name === null ? null : { name, color, pictureId }
  return { ...served, organization: shown, siteIcons }
}

const finder = prepared((db) =>
  db
    .select({
      id: bundles.id,
      slug: bundles.slug,
      versionNumber: bundles.versionNumber,
      ...pick(NAMES, bundles),
      /** The organisation that owns it, or null. */
      organizationId: owners.organizationId,
      ...LOOK,
      /** The user who owns it, or null. */
      userId: owners.userId,
      ownerId: bundles.ownerId,
      /** When the operator blocked it, or null. */
      blockedAt: blockedBundles.at,
    })
    .from(bundles)
    .leftJoin(owners, eq(owners.id, bundles.ownerId))
    .leftJoin(organization, eq(organization.id, owners.organizationId))
    .leftJoin(blockedBundles, eq(blockedBundles.bundleId, bundles.id))
    .where(and(eq(bundles.slug, sql.placeholder('slug')), isNull(bundles.deletedAt)))
    .prepare(),
)

/** The slug of the bundle with this slug or alias; null if there is none that is not deleted. */
export async function slugThat(db: Store['db'], slug: string): Promise<string | null> {
  const [row] = await named(db).execute({ slug })
  return row?.slug ?? null
}

const named = prepared((db) =>
  db
    .select({ slug: bundles.slug })
    .from(bundles)
    .where(and(eq(bundles.id, idNamed(sql.placeholder('slug'))), isNull(bundles.deletedAt)))
    .prepare(),
)

/** A bundle as viewers may see it; views get nothing else. */
export interface PublicBundle extends Pick<Content, PublicName> {
  slug: string
  /** The owning organisation; null for none. Viewers learn nothing about a person who owns a bundle. */
  organization: OrganizationLook | null
  /** Whether it has no owner: it was created without an account. */
  isUnclaimed: boolean
  /** Whether it has a policy. */
  hasRules: boolean
  /** Whether some people may not see it. */
  isProtected: boolean
  /** Whether viewers can copy it. */
  isCopyable: boolean
  /** Known icons of its links’ sites. */
  siteIcons: SiteIcons
  /** The rule that the viewer matched; null for fallthrough. */
  rule: {
    id: string
    /** Its name, if viewers may see it. */
    badge: string | null
  } | null
}

/** A bundle for a viewer who matched `rule`, with the tabs of the rule. */
export function publicBundle(rule: ShownRule | null, bundle: ServedBundle): PublicBundle {
  const own = {
    slug: bundle.slug,
    ...pick(PUBLIC_NAMES, bundle),
    organization: bundle.organization,
    isUnclaimed: bundle.ownerId === null,
    hasRules: bundle.resolutionPolicy !== null,
    isProtected: bundle.access !== 'link',
    // A copy has no gate of its own.
    isCopyable: bundle.copyable && bundle.access === 'link',
    siteIcons: bundle.siteIcons,
  }
  if (rule === null) return { ...own, rule }
  return {
    ...own,
    urls: rule.tabs.map(({ url }) => url),
    urlMetadata: rule.tabs.map(({ url: _, ...metadata }) => metadata),
    rule: { id: rule.id, badge: rule.showBadge === true ? rule.name : null },
  }
}

type PublicName = NameWith<{ isPublic: true }>
