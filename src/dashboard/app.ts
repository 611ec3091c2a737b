import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import { authenticate } from '../api/auth.ts'
import { getBundle } from '../bundles/operations.ts'
import { toBundle } from '../bundles/present.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { HTML, JSON_TYPE, seeOther, text } from '../http/respond.ts'
import { toCsv } from '../imports/csv.ts'
import type { Site } from '../operations/operation.ts'
import { activityScreens } from './activity/activity.tsx'
import { bulkScreens } from './bundles/bulk.tsx'
import { bundleScreens, exampleScreens } from './bundles/bundles.tsx'
import { moveScreens } from './bundles/move.tsx'
import { pinScreens } from './bundles/pins.tsx'
import { replaceScreens } from './bundles/replace.tsx'
import { editorScreens } from './editor/editor.tsx'
import { linkPartScreens } from './editor/link-parts.tsx'
import { newBundleScreens } from './editor/new-bundle.tsx'
import { previewScreens } from './editor/preview.tsx'
import { importScreens } from './import/import.tsx'
import { insightsScreens } from './insights/insights.tsx'
import { keyScreens } from './keys/keys.tsx'
import { organizationScreens } from './organizations/organizations.tsx'
import { type Screen, screens } from './parts/screens.tsx'
import { run } from './parts/visit.ts'
import { proposalScreens } from './proposals/proposals.tsx'
import { suggestionScreens } from './proposals/suggest.tsx'
import { policyScreens } from './rules/rules.tsx'
import { settingsScreens } from './settings/settings.tsx'
import { versionScreens } from './versions/versions.tsx'
import { webhookScreens } from './webhooks/webhooks.tsx'

/** The export formats, by file extension. */
const FORMATS: Record<string, { type: string; write(bundle: StoredBundle, site: Site): string }> = {
  json: { type: JSON_TYPE, write: (bundle, site) => `${JSON.stringify(toBundle(bundle, site), null, 2)}\n` },
  csv: { type: 'text/csv; charset=utf-8', write: toCsv },
  html: { type: HTML, write: bookmarksFile },
}

/** Downloads of a bundle: the answer of `get_bundle`, its links as CSV, or bookmarks. */
const exportScreens: readonly Screen[] = Object.entries(FORMATS).map(([extension, { type, write }]) => ({
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

/** Switches the subject that the visitor acts for: an organisation or, with an empty id, themselves. */
const subjectScreens: readonly Screen[] = [
  {
    path: '/dashboard/subject',
    async post({ request, service }, form) {
      const organizationId = form.get('organizationId') || null
      const answer = await authenticate(request, service, '/organization/set-active', () => ({ organizationId }))
      if (!(answer instanceof Response))
        throw new Problem('FORBIDDEN', 'You’re no longer a member of this organisation.')
      return seeOther('/dashboard', answer)
    },
  },
]

/** All dashboard screens, in the order of the navigation. */
export function dashboard(service: Service) {
  return screens(service, [
    ...bundleScreens,
    ...bulkScreens,
    ...moveScreens,
    ...pinScreens,
    ...replaceScreens,
    ...exampleScreens,
    ...newBundleScreens,
    ...linkPartScreens,
    ...previewScreens,
    ...editorScreens,
    ...exportScreens,
    ...importScreens,
    ...policyScreens,
    ...versionScreens,
    ...proposalScreens,
    ...suggestionScreens,
    ...insightsScreens,
    ...keyScreens,
    ...webhookScreens,
    ...organizationScreens,
    ...settingsScreens,
    ...activityScreens,
    ...subjectScreens,
  ])
}
