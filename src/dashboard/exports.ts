import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import type { StoredBundle } from '../bundles/access.ts'
import { getBundle } from '../bundles/operations.ts'
import { toBundle } from '../bundles/present.ts'
import { HTML, text } from '../http/respond.ts'
import { toCsv } from '../imports/csv.ts'
import type { Site } from '../operations/operation.ts'
import type { Screen } from './parts/screens.tsx'
import { run } from './parts/visit.ts'

/** The export formats, by file extension. */
const FORMATS: Record<string, { type: string; write(bundle: StoredBundle, site: Site): string }> = {
  json: { type: 'application/json', write: (bundle, site) => `${JSON.stringify(toBundle(bundle, site), null, 2)}\n` },
  csv: { type: 'text/csv; charset=utf-8', write: toCsv },
  html: { type: HTML, write: bookmarksFile },
}

/** Downloads of a bundle: the answer of `get_bundle`, its links as CSV, or bookmarks. */
export const exportScreens: readonly Screen[] = Object.entries(FORMATS).map(([extension, { type, write }]) => ({
  path: `/dashboard/links/:slug/export.${extension}`,
  async get(visit) {
    const bundle = await run(visit, getBundle, { slug: visit.params.slug })
    const headers = {
      'content-disposition': `attachment; filename="${bundle.slug}.${extension}"`,
      'cache-control': 'private, no-store',
    }
    return text(visit.request, write(bundle, visit.service.config), { type, headers })
  },
}))
