/** @jsxImportSource @kitajs/html */

import type { LinkHealth } from '../../../src/bundles/health.ts'
import type { HistoryUse } from '../../../src/bundles/history-cap.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { HealthNotice } from '../parts/health-notice.tsx'
import { HistoryNotice } from '../parts/history-notice.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { About } from './about.tsx'
import type { EditorState } from './bundle-form.ts'
import { Editor } from './editor.tsx'

interface EditBundleProps {
  site: DashboardSite
  bundle: StoredBundle
  /** The version that is edited; `over` is one that it was begun with, where somebody else has saved since. */
  version: number
  over: number | null
  /** Somebody else's saved changes, compared with the form. */
  conflict: JSX.Element | undefined
  /** Whether saving drops what somebody else has saved. */
  isLosing: boolean
  state: EditorState
  icons: SiteIcons
  isPreviewHidden: boolean
  history: HistoryUse
  health: readonly LinkHealth[] | undefined
}

export function EditBundlePage({
  site,
  bundle,
  version,
  over,
  conflict,
  isLosing,
  state,
  icons,
  isPreviewHidden,
  history,
  health,
}: EditBundleProps): JSX.Element {
  const reminder = (
    <p class="alert" safe>
      {`Version ${version} was saved while you were editing. Saving yours replaces it.`}
    </p>
  )
  return (
    <BundleFrame
      site={site}
      bundle={bundle}
      tab="edit"
      title={<About state={state} untitled={headingOf({ ...bundle, title: null })} />}
    >
      <HistoryNotice history={history} />
      <HealthNotice health={health} />
      <Editor
        action={`/dashboard/links/${bundle.slug}`}
        kind="saved"
        slug={bundle.slug}
        keeping={`${site.user.userId} ${bundle.slug}`}
        hidden={{ version: String(version), ...(over === null ? {} : { over: String(over) }) }}
        save={isLosing ? 'Save mine anyway' : 'Save'}
        isLosing={isLosing}
        notice={conflict ?? (over === null ? undefined : reminder)}
        state={state}
        icons={icons}
        hasPassword={bundle.access === 'password'}
        preview={{ isHidden: isPreviewHidden, hasRules: bundle.resolutionPolicy !== null }}
      />
    </BundleFrame>
  )
}
