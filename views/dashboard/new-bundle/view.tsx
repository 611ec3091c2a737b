/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import type { EditorState } from '../parts/bundle-form/bundle-form.ts'
import { Editor } from '../parts/bundle-form/editor.tsx'
import { Head } from '../parts/shell.tsx'

interface NewBundleProps {
  /** The bundle to copy; null for none. */
  from: StoredBundle | null
  /** The id of its future owner. */
  userId: string
  /** Prevents a second bundle after another press or a reload. */
  idempotencyKey: string
  state: EditorState
  icons: SiteIcons
  isPreviewHidden: boolean
}

/** The form for a new bundle. */
export function NewBundlePage(props: NewBundleProps): JSX.Element {
  const { from, userId, idempotencyKey, state, icons, isPreviewHidden } = props
  const rules = from?.resolutionPolicy?.rules.length ?? 0
  const lede =
    from === null
      ? 'Up to 25 links behind one. Anyone with the link opens every tab in one click.'
      : `A copy of “${headingOf(from)}”${rules === 0 ? '' : ', its rules included'}. Nothing is created until you save.`
  const editor = (
    <Editor
      action={routes.newBundle.page.href()}
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
  )
  if (state.step !== null) return editor
  return (
    <>
      <Head title={from === null ? 'New bundle' : 'Duplicate'} lede={lede}>
        {from === null ? (
          <a class="button" href={routes.bundles.import.href()}>
            Import instead
          </a>
        ) : undefined}
      </Head>
      {editor}
    </>
  )
}
