import { authenticate } from '../../src/api/auth.ts'
import { type StoredBundle, toBundle } from '../../src/bundles/edit/bundles.ts'
import { getBundle } from '../../src/bundles/edit/operations.ts'
import { Problem } from '../../src/core/problem.ts'
import { routes } from '../../src/core/routes.ts'
import type { Service } from '../../src/core/service.ts'
import { csvAnswer } from '../../src/http/csv.ts'
import { HTML, JSON_TYPE, seeOther, text } from '../../src/http/respond.ts'
import { toCsv } from '../../src/imports/csv.ts'
import type { Site } from '../../src/operations/operation.ts'
import { bookmarksFile } from '../launcher/parts/bookmarks.ts'
import { activityScreens } from './activity/routes.tsx'
import { bulkScreens } from './bundles/bulk.tsx'
import { moveScreens } from './bundles/move.tsx'
import { replaceScreens } from './bundles/replace.tsx'
import { bundleScreens, exampleScreens, pinScreens } from './bundles/routes.tsx'
import { renameScreens } from './editor/rename.tsx'
import { editorScreens } from './editor/routes.tsx'
import { importScreens } from './import/routes.tsx'
import { insightsScreens } from './insights/routes.tsx'
import { keyScreens } from './keys/routes.tsx'
import { newBundleScreens } from './new-bundle/routes.tsx'
import { organizationScreens } from './organizations/routes.tsx'
import { previewScreens } from './parts/bundle-form/preview.tsx'
import { run, type Screen, screens, type Visit } from './parts/screens.tsx'
import { proposalScreens } from './proposals/routes.tsx'
import { suggestionScreens } from './proposals/suggest.tsx'
import { policyScreens } from './rules/routes.tsx'
import { settingsScreens } from './settings/routes.tsx'
import { versionScreens } from './versions/routes.tsx'
import { webhookScreens } from './webhooks/routes.tsx'

type Exported = (visit: Visit, bundle: StoredBundle, filename: string) => Response

const PRIVATE = { 'cache-control': 'private, no-store' }
const asText =
  (type: string, write: (bundle: StoredBundle, site: Site) => string): Exported =>
  ({ request, service }, bundle, filename) => {
    const headers = { ...PRIVATE, 'content-disposition': `attachment; filename="${filename}"` }
    return text(request, write(bundle, service.config), { type, headers })
  }

type Extension = keyof typeof routes.bundle.export
const EXTENSIONS = Object.keys(routes.bundle.export) as Extension[]

/** The export formats, by file extension. */
const FORMATS: Record<Extension, Exported> = {
  json: asText(JSON_TYPE, (bundle, site) => `${JSON.stringify(toBundle(bundle, site), null, 2)}\n`),
  csv: ({ request, service }, bundle, filename) =>
    csvAnswer(
      request,
      (reader) => ({ filename, text: toCsv(bundle, reader) }),
      PRIVATE,
      (error) => service.log.error({ err: error }, 'a download failed midway'),
    ),
  html: asText(HTML, bookmarksFile),
}

/** Downloads of a bundle: the answer of `get_bundle`, its links as CSV, or bookmarks. */
const exportScreens: readonly Screen[] = EXTENSIONS.map((extension) => ({
  path: routes.bundle.export[extension].path,
  async get(visit) {
    const bundle = await run(visit, getBundle, { slug: visit.params.slug })
    return FORMATS[extension](visit, bundle, `${bundle.slug}.${extension}`)
  },
}))

/** Switches the subject that the visitor acts for: an organisation or, with an empty id, themselves. */
const subjectScreens: readonly Screen[] = [
  {
    path: routes.subject.path,
    async post({ request, service }, form) {
      const organizationId = form.get('organizationId') || null
      const answer = await authenticate(request, service, '/organization/set-active', () => ({ organizationId }))
      if (!(answer instanceof Response))
        throw new Problem('FORBIDDEN', 'You’re no longer a member of this organisation.')
      return seeOther(routes.bundles.list.href(), answer)
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
    ...previewScreens,
    ...editorScreens,
    ...renameScreens,
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
