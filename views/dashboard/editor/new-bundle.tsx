/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { Head } from '../parts/shell.tsx'
import type { EditorState } from './bundle-form.ts'
import { Editor } from './editor.tsx'

interface NewBundleProps {
  /** The bundle that this one begins as a copy of. */
  from: StoredBundle | null
  /** Whose it will be. */
  userId: string
  /** So that a second press or a reload makes no second bundle. */
  idempotencyKey: string
  state: EditorState
  icons: SiteIcons
  isPreviewHidden: boolean
}

/** A bundle that is yet to be made. */
export function NewBundlePage(props: NewBundleProps): JSX.Element {
  const { from, userId, idempotencyKey, state, icons, isPreviewHidden } = props
  const rules = from?.resolutionPolicy?.rules.length ?? 0
  const lede =
    from === null
      ? 'Up to 25 links behind one. Anyone with the link opens every tab in one click.'
      : `A copy of “${headingOf(from)}”${rules === 0 ? '' : ', its rules included'}. Nothing is created until you save.`
  return (
    <>
      <Head title={from === null ? 'New bundle' : 'Duplicate'} lede={lede}>
        {from === null ? (
          <a class="button" href="/dashboard/links/import">
            Import instead
          </a>
        ) : undefined}
      </Head>
      <Editor
        action="/dashboard/links/new"
        kind="new"
        keeping={`${userId} new ${from?.slug ?? ''}`}
        hidden={{ idempotencyKey, ...(from === null ? {} : { from: from.slug }) }}
        save="Create bundle"
        notice={undefined}
        state={state}
        icons={icons}
        hasPassword={from?.access === 'password'}
        preview={{ isHidden: isPreviewHidden, hasRules: rules > 0 }}
      />
    </>
  )
}
