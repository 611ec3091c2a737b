/** @jsxImportSource @kitajs/html */
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { aliasesIn } from '../../../src/bundles/edit/unversioned.ts'
import type { LinkHealth } from '../../../src/bundles/links/health.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { destination } from '../../parts/destination.ts'
import { Each } from '../../parts/layout.tsx'
import { ownerAmong } from '../../parts/visitor.ts'
import type { EditorState } from '../parts/bundle-form/bundle-form.ts'
import { About, type Naming } from '../parts/bundle-form/controls.tsx'
import { Editor } from '../parts/bundle-form/editor.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { dayOf } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

interface EditBundleProps {
  site: DashboardSite
  bundle: StoredBundle
  /** The edited version; `over` is the version from which the form started, if somebody else has saved since. */
  version: number
  over: number | null
  /** Somebody else's saved changes, compared with the form. */
  conflict: JSX.Element | undefined
  /** Whether saving discards somebody else's changes. */
  isLosing: boolean
  /** Missing if the visitor cannot change its link. */
  naming: Naming | undefined
  state: EditorState
  icons: SiteIcons
  isPreviewHidden: boolean
}

export function EditBundlePage({
  site,
  bundle,
  version,
  over,
  conflict,
  isLosing,
  naming,
  state,
  icons,
  isPreviewHidden,
}: EditBundleProps): JSX.Element {
  const reminder = (
    <p class="alert" safe>
      {`Version ${version} was saved while you were editing. Saving yours replaces it.`}
    </p>
  )
  const about = <About state={state} untitled={headingOf({ ...bundle, title: null })} />
  const editor = (
    <Editor
      action={routes.bundle.edit.href({ slug: bundle.slug })}
      kind="saved"
      slug={bundle.slug}
      naming={naming}
      aliases={aliasesIn(bundle.aliases)}
      keeping={`${site.user.userId} ${bundle.slug}`}
      hidden={{ version: String(version), ...(over === null ? {} : { over: String(over) }) }}
      save={isLosing ? 'Save mine anyway' : 'Save'}
      isLosing={isLosing}
      notice={conflict ?? (over === null || state.checked.form !== null ? undefined : reminder)}
      state={state}
      team={ownerAmong(bundle, site.user)}
      icons={icons}
      hasPassword={bundle.access === 'password'}
      preview={{ isHidden: isPreviewHidden, hasRules: bundle.resolutionPolicy !== null }}
    />
  )
  if (state.step === 'checked') {
    return (
      <>
        {editor}
        {about}
      </>
    )
  }
  if (state.step !== null) {
    return (
      <>
        {editor}
        <tag of="hx-partial" hx-target=".about.in-place" hx-swap="outerMorph">
          {about}
        </tag>
      </>
    )
  }
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit" title={about}>
      {editor}
    </BundleFrame>
  )
}

interface HealthNoticeProps {
  /** Undefined if it is unknown. */
  health: readonly LinkHealth[] | undefined
}

/** Lists the broken and moved links of a bundle; nothing if there are none. */
export function HealthNotice({ health = [] }: HealthNoticeProps): JSX.Element {
  const wrong = (['broken', 'moved'] as const).flatMap((state) => health.filter((link) => link.state === state))
  if (wrong.length === 0) return ''
  const broken = wrong.filter(({ state }) => state === 'broken').length
  const parts = [
    ...(broken === 0 ? [] : [`${count(broken, 'link')} broken`]),
    ...(broken === wrong.length ? [] : [`${count(wrong.length - broken, 'link')} moved`]),
  ]
  return (
    <section class="health" id="health" aria-label="Health of links">
      <p safe>{`${parts.join(', ')}.`}</p>
      <ul>
        <Each
          of={wrong}
          show={(link) => (
            <li class={link.state === 'broken' ? 'bad' : undefined}>
              <bdi dir="ltr" safe>
                {shown(link.url)}
              </bdi>
              <span safe>{`: ${link.state} since ${dayOf(Date.parse(link.since))}`}</span>
              {link.finalUrl !== undefined && (
                <>
                  {', now at '}
                  <bdi dir="ltr" safe>
                    {shown(link.finalUrl)}
                  </bdi>
                </>
              )}
            </li>
          )}
        />
      </ul>
    </section>
  )
}

/** Always in punycode, because a host with look-alike letters reads like another. */
function shown(url: string): string {
  const { host, path } = destination(url)
  return `${host}${path}`
}
