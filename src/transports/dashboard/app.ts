import type { Elysia } from 'elysia'
import type { Service } from '../../service.ts'
import { bundleScreens } from './bundles.tsx'
import { editorScreens } from './editor.tsx'
import { exportScreens } from './exports.ts'
import { importScreens } from './import.tsx'
import { insightsScreens } from './insights.tsx'
import { keyScreens } from './keys.tsx'
import { newBundleScreens } from './new-bundle.tsx'
import { organizationScreens } from './organizations.tsx'
import { policyScreens } from './policy.tsx'
import { screens } from './screens.tsx'
import { settingsScreens } from './settings.tsx'
import { subjectScreens } from './subject.ts'
import { versionScreens } from './versions.tsx'

/** Every screen of the owner's dashboard (decisions 11), in the order of its navigation. */
export function dashboard(service: Service): Elysia {
  return screens(service, [
    ...bundleScreens,
    ...newBundleScreens,
    ...editorScreens,
    ...exportScreens,
    ...importScreens,
    ...policyScreens,
    ...versionScreens,
    ...insightsScreens,
    ...keyScreens,
    ...organizationScreens,
    ...settingsScreens,
    ...subjectScreens,
  ])
}
