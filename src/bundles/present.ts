import type { Config } from '../config/config.ts'
import { iso } from '../core/time.ts'
import { LISTED_NAMES, pick, UNLISTED_NAMES } from './content.ts'
import type { Version } from './history.ts'
import { linkOf } from './link.ts'
import { toMetadata } from './own-fields.ts'
import type { StoredBundle } from './roles.ts'

type Site = Pick<Config, 'origin' | 'shortPaths'>

/** A bundle in a list; if deleted, with the time of deletion. */
export function toListItem(bundle: StoredBundle, site: Site) {
  const { slug, owner, source, versionNumber, externalId, deletedAt } = bundle
  return {
    slug,
    url: linkOf(slug, site),
    versionNumber,
    ...pick(LISTED_NAMES, bundle),
    owner,
    createdAt: iso(bundle.createdAt),
    updatedAt: iso(bundle.updatedAt),
    source,
    externalId,
    ...(deletedAt === null ? {} : { deletedAt: iso(deletedAt) }),
  }
}

/** A bundle in full. */
export function toBundle(bundle: StoredBundle, site: Site) {
  return { ...toListItem(bundle, site), metadata: toMetadata(bundle), ...pick(UNLISTED_NAMES, bundle) }
}

export function toSnapshot({ editedBy, editedAt, editor: _, proposer: __, bytes: ___, ...snapshot }: Version) {
  return { ...snapshot, editedByIdentityUserId: editedBy, editedAt: iso(editedAt) }
}

/** The ETag of a bundle: its version. */
export function etag({ versionNumber }: Pick<StoredBundle, 'versionNumber'>): string {
  return `"v${versionNumber}"`
}
