import type { Service } from '../core/service.ts'
import { bulkScreens } from './bundles/bulk.tsx'
import { bundleScreens } from './bundles/bundles.tsx'
import { exampleScreens } from './bundles/examples.ts'
import { editorScreens } from './editor/editor.tsx'
import { newBundleScreens } from './editor/new-bundle.tsx'
import { previewScreens } from './editor/preview.tsx'
import { exportScreens } from './exports.ts'
import { importScreens } from './import/import.tsx'
import { insightsScreens } from './insights/insights.tsx'
import { keyScreens } from './keys/keys.tsx'
import { organizationScreens } from './organizations/organizations.tsx'
import { screens } from './parts/screens.tsx'
import { proposalScreens } from './proposals/proposals.tsx'
import { suggestionScreens } from './proposals/suggest.tsx'
import { policyScreens } from './rules/rules.tsx'
import { settingsScreens } from './settings/settings.tsx'
import { subjectScreens } from './subject.ts'
import { versionScreens } from './versions/versions.tsx'
import { webhookScreens } from './webhooks/webhooks.tsx'

/** All dashboard screens (decisions 11), in the order of the navigation. */
export function dashboard(service: Service) {
  return screens(service, [
    ...bundleScreens,
    ...bulkScreens,
    ...exampleScreens,
    ...newBundleScreens,
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
    ...subjectScreens,
  ])
}
