import type { bundleVersions } from '../../db/schema.ts'
import { iso } from '../time.ts'
import type { StoredBundle } from './access.ts'

/** What a list shows of a bundle (spec 2.2). */
export function toListItem(bundle: StoredBundle) {
  const { slug, urls, urlMetadata, title, description, owner, source } = bundle
  return {
    slug,
    urls,
    urlMetadata,
    title,
    description,
    owner,
    createdAt: iso(bundle.createdAt),
    updatedAt: iso(bundle.updatedAt),
    source,
  }
}

/** A bundle in full (spec 2.1). */
export function toBundle(bundle: StoredBundle) {
  const { client, resolutionPolicy } = bundle
  return { ...toListItem(bundle), metadata: client === null ? null : { client }, resolutionPolicy }
}

/** A version (spec 2.4). */
export function toSnapshot(version: Omit<typeof bundleVersions.$inferSelect, 'bundleId'>) {
  const { editedBy, editedAt, ...snapshot } = version
  return { ...snapshot, editedByIdentityUserId: editedBy, editedAt: iso(editedAt) }
}

/** The ETag of a bundle: its version (decisions 1). */
export function etag({ versionNumber }: Pick<StoredBundle, 'versionNumber'>): { etag: string } {
  return { etag: `"v${versionNumber}"` }
}
