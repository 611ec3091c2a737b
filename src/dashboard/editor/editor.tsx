/** @jsxImportSource @kitajs/html */

import type { BundleForm, EditorState } from '../../../views/dashboard/editor/bundle-form.ts'
import { EditBundlePage } from '../../../views/dashboard/editor/edit-bundle.tsx'
import { ReadOnlyPage } from '../../../views/dashboard/editor/read-only.tsx'
import { TakeTheirs } from '../../../views/dashboard/editor/take-theirs.tsx'
import { madeVersion, withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import { headingOf } from '../../../views/launcher/launcher.tsx'
import { diff, isSame } from '../../bundles/diff.ts'
import type { LinkHealth } from '../../bundles/health.ts'
import { historyUse } from '../../bundles/history-cap.ts'
import { getBundle, updateBundle } from '../../bundles/operations.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { type SeenLink, seenElsewhere } from '../../bundles/seen.ts'
import { Problem } from '../../core/problem.ts'
import { unfitUrl } from '../../core/text.ts'
import { within } from '../../core/within.ts'
import { versionIn } from '../../http/fields.ts'
import { signedIn } from '../../identity/caller.ts'
import { allowsRole, requireRole } from '../../identity/roles.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Outcome, Screen, ScreenPage } from '../parts/screens.tsx'
import { dryRun, resultOrProblem, run, type Visit } from '../parts/visit.ts'
import { buttonOf, contentOf, formOf, MAX_ROWS, passwordOf, pastedIn, readBundleForm } from './bundle-form.ts'
import { afterButton } from './buttons.ts'
import { checkedForm } from './checked-form.ts'
import { conflictOf, sidesOf } from './conflict.tsx'
import { isOwnTouched, ownForm, ownOf } from './own-form.ts'
import { isPreviewHidden } from './preview.tsx'
import { check, touched, untouched } from './state.tsx'
import { conflictChoices, KEEP_BOTH, withBoth } from './their-changes.ts'
import { rulesOf } from './variable-fields.ts'

/** How long a page waits for a hint, before which other long reads may have their turn. */
const HINT_MS = 250

/** The page of a bundle: its links and details. */
export const editorScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug',
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      if (allowsRole(roleOver(bundle, visit.site.user), 'editor')) {
        return editorPage(visit, bundle, { ...untouched(savedForm(bundle)), version: bundle.versionNumber })
      }
      const icons = await iconsFor(visit, { ...bundle, resolutionPolicy: null })
      const props = { site: visit.site, bundle, health: bundle.health, icons }
      return { ...headed(bundle), view: <ReadOnlyPage {...props} /> }
    },
    post: save,
  },
  {
    path: '/dashboard/links/:slug/check',
    post(visit, sent) {
      const conditions = { expectedVersion: versionIn(sent.get('version') ?? '') }
      const { slug } = visit.params
      return check(visit, sent, (input) => dryRun(visit, updateBundle, { ...input, slug }, conditions))
    },
  },
]

/** The form of a bundle, with what is its owner’s alone. */
const savedForm = (bundle: StoredBundle) => ({ ...formOf(bundle), own: ownForm(bundle) })

const headed = (bundle: StoredBundle) => ({ section: 'bundles', title: headingOf(bundle) }) as const

async function save(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const { slug = '' } = visit.params
  const bundle = await run(visit, getBundle, { slug })
  requireRole(roleOver(bundle, visit.site.user), 'editor')
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you are editing: reload the bundle')
  const pasted = await pastedIn(sent)
  const form = readBundleForm(sent, savedForm(bundle), pasted)
  const over = versionIn(sent.get('over') ?? '')
  const button = buttonOf(sent, pasted)
  const pressed = afterButton(form, button)
  const focus = pressed?.focus ?? null
  const late = { slug, form: pressed?.form ?? form, begunWith: over ?? version, button, health: bundle.health }
  // Edits that the browser has kept may be of an earlier version.
  const isOld = button === 'restore' && version !== bundle.versionNumber
  if (isOld || (over !== null && button !== 'save')) return besideTheirs(visit, late, focus)
  if (button === 'restore') return editorPage(visit, bundle, { ...touched(form), version })
  if (pressed !== null) {
    return editorPage(visit, bundle, { ...touched(pressed.form), pasted, focus, version })
  }

  const { content } = contentOf(form)
  const path = `/dashboard/links/${slug}`
  const password = passwordOf(form)
  const isSameContent = () => isSame(diff(bundle, { ...bundle, ...content }))
  const isKept = password.password === undefined && !isOwnTouched(form)
  const isUnchanged = isKept && version === bundle.versionNumber && isSameContent()
  if (isUnchanged) return { to: withFlash(path, 'unchanged') }
  const saved = await resultOrProblem(() =>
    run(
      visit,
      updateBundle,
      { slug, ...content, ...rulesOf(form), ...password, ...ownOf(form) },
      { expectedVersion: version },
    ),
  )
  if (!(saved instanceof Problem)) return { to: withFlash(path, 'saved', madeVersion(saved)) }
  if (saved.code === 'VERSION_CONFLICT') return besideTheirs(visit, late, null, saved)
  return editorPage(visit, bundle, { ...touched(form), checked: checkedForm(form, saved), version, over }, saved)
}

/** A form submitted after somebody else had saved. */
interface Late {
  slug: string
  form: BundleForm
  /** The version that the form started from. */
  begunWith: number
  /** The pressed button, which may copy one of their changes into the form. */
  button: string
  health: LinkHealth[] | undefined
}

/** The form with the conflict; saving it again overwrites their version. */
async function besideTheirs(
  visit: Visit,
  { slug, form: sent, begunWith, button, health }: Late,
  focus: EditorState['focus'],
  problem?: Problem,
): Promise<ScreenPage> {
  const sides = await sidesOf(visit, slug, begunWith)
  const { theirs, base } = sides
  const opened = { ...theirs, health }
  const both = { changes: diff(base, theirs), base, theirs }
  const form =
    button === KEEP_BOTH
      ? withBoth(both, sent)
      : (conflictChoices(both, sent).find(({ name }) => name === button)?.applied ?? sent)
  const { content } = contentOf(form)
  const choices = conflictChoices(both, form)
  const isLosing = choices.length > 0 || both.changes.links.some((entry) => entry.kind === 'kept' && entry.isMoved)
  const editing = { ...touched(form), focus, version: theirs.versionNumber, over: begunWith, isLosing }
  // Invalid URLs cannot be compared; a list that is too long cannot be saved anyway.
  const isComparable = content.urls.length <= MAX_ROWS && content.urls.every((url) => unfitUrl(url) === null)
  if (!isComparable) return editorPage(visit, opened, editing, problem)
  const conflict = (
    <>
      {conflictOf(visit, sides, {
        content,
        page: `/dashboard/links/${slug}`,
        isLosing,
        keepBoth: choices.some(({ isFree }) => isFree) ? KEEP_BOTH : undefined,
      })}
      <TakeTheirs choices={choices} />
    </>
  )
  return editorPage(visit, opened, { ...editing, conflict }, problem)
}

/** A bundle with what is known of its links. */
type Opened = StoredBundle & { health?: LinkHealth[] | undefined }

interface Editing extends EditorState {
  version: number
  over?: number | null
  conflict?: JSX.Element | undefined
  /** Whether saving drops what somebody else has saved. */
  isLosing?: boolean
}

async function editorPage(visit: Visit, bundle: Opened, editing: Editing, problem?: Problem): Promise<ScreenPage> {
  const { version, over = null, conflict, isLosing = over !== null, ...state } = editing
  const { store, config } = visit.service
  const [history, seen, icons] = await Promise.all([
    historyUse(store, bundle.owner, config),
    seenSoon(visit, state.form, bundle.slug),
    iconsFor(visit, contentOf(state.form).content),
  ])
  const props = {
    site: visit.site,
    bundle,
    version,
    over,
    conflict,
    isLosing,
    state: { ...state, seen },
    history,
    health: bundle.health,
    icons,
    isPreviewHidden: isPreviewHidden(visit.request),
  }
  return { ...headed(bundle), view: <EditBundlePage {...props} />, problem }
}

/** In which other bundles the links of a form stand, if that is soon known: later it would move what is being read. */
async function seenSoon({ service, context }: Visit, form: BundleForm, slug: string): Promise<readonly SeenLink[]> {
  const urls = form.links.map(({ url }) => url.trim()).filter((url) => url !== '')
  if (urls.length === 0) return []
  return (await within(HINT_MS, seenElsewhere(service.store, signedIn(context.caller), urls, slug))) ?? []
}
