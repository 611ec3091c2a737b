/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { OwnOrganization } from '../../../src/identity/members.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { Builder } from '../../parts/builder/builder.tsx'
import type { PasteForm } from '../../parts/builder/form.ts'
import { SlugField } from '../../parts/link-name.tsx'
import type { EditorState } from '../parts/bundle-form/bundle-form.ts'
import { Editor } from '../parts/bundle-form/editor.tsx'
import { Head } from '../parts/shell.tsx'

interface NewBundleProps {
  form: PasteForm
  /** The chosen end of its link; empty for none. */
  slug: string
  /** Prevents a second bundle after another press or a reload. */
  idempotencyKey: string
  /** Whether page titles are suggested. */
  suggests: boolean
  /** The organisation that will own it; null if the visitor will. */
  owner: string | null
  userId: string
}

/** The box of the home page, for a bundle in the workspace. */
export function NewBundlePage({ form, slug, idempotencyKey, suggests, owner, userId }: NewBundleProps): JSX.Element {
  const where = owner === null ? '' : `It belongs to ${owner}. `
  const more = (
    <details class={['more', slug === '' && 'about']} open={slug !== '' || form.errors.slug !== undefined}>
      <summary>Choose its link</summary>
      <SlugField
        id="slug"
        label="Custom link"
        before={routes.launcher.page.start}
        value={slug}
        placeholder="chosen for you"
        hint="You can change it later: the old one keeps working."
        error={form.errors.slug}
      />
    </details>
  )
  return (
    <>
      <Head title="New bundle" lede="Up to 25 links behind one. Anyone with the link opens every tab in one click.">
        <a class="button" href={routes.bundles.import.href()}>
          Import instead
        </a>
      </Head>
      <div data-pasting={userId} hx-boost:inherited="false">
        <Builder
          form={form}
          action={routes.newBundle.page.href()}
          idempotencyKey={idempotencyKey}
          suggests={suggests}
          later={`${where}Its editor opens next, with access and times.`}
          more={more}
        />
      </div>
    </>
  )
}

interface CopyProps {
  /** The bundle to copy. */
  from: StoredBundle
  /** The id of its future owner. */
  userId: string
  /** Prevents a second bundle after another press or a reload. */
  idempotencyKey: string
  state: EditorState
  /** The organisation that will own it; undefined if the visitor will. */
  team: OwnOrganization | undefined
  icons: SiteIcons
  isPreviewHidden: boolean
}

/** The editor of a copy, before it is created. */
export function CopyPage(props: CopyProps): JSX.Element {
  const { from, userId, team, idempotencyKey, state, icons, isPreviewHidden } = props
  const rules = from.resolutionPolicy?.rules.length ?? 0
  const lede = `A copy of “${headingOf(from)}”${rules === 0 ? '' : ', its rules included'}. Nothing is created until you save.`
  const editor = (
    <Editor
      action={routes.newBundle.page.href()}
      kind="new"
      keeping={`${userId} new ${from.slug}`}
      hidden={{ idempotencyKey, from: from.slug }}
      save="Create bundle"
      notice={undefined}
      state={state}
      team={team}
      icons={icons}
      hasPassword={from.access === 'password'}
      preview={{ isHidden: isPreviewHidden, hasRules: rules > 0 }}
    />
  )
  if (state.step !== null) return editor
  return (
    <>
      <Head title="Duplicate" lede={lede} />
      {editor}
    </>
  )
}
