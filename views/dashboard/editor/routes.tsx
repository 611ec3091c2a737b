/** @jsxImportSource @kitajs/html */

import { diff, isSame } from '../../../src/bundles/content/diff.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { getBundle, updateBundle } from '../../../src/bundles/edit/operations.ts'
import { proposedSlug, renameBundle, typedSlug } from '../../../src/bundles/edit/rename.ts'
import { historyUse } from '../../../src/bundles/edit/stored.ts'
import type { LinkHealth } from '../../../src/bundles/links/health.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { unfitUrl } from '../../../src/core/text.ts'
import { count, joinList } from '../../../src/core/words.ts'
import { versionIn } from '../../../src/http/body.ts'
import { allowsRole, requireRole } from '../../../src/identity/caller.ts'
import { follows } from '../../../src/policies/base.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { besideSlug } from '../../parts/link-name.tsx'
import { withFlash } from '../../parts/messages.ts'
import { roleOver } from '../../parts/visitor.ts'
import type { BundleForm, Checked, EditorState } from '../parts/bundle-form/bundle-form.ts'
import { checkedForm } from '../parts/bundle-form/checked-form.ts'
import { conflictOf, sidesOf } from '../parts/bundle-form/conflict.tsx'
import { contentOf, type FormInput, formOf, MAX_ROWS, passwordOf, rulesOf } from '../parts/bundle-form/form.ts'
import { isOwnTouched, ownForm, ownOf } from '../parts/bundle-form/own.tsx'
import { isPreviewHidden } from '../parts/bundle-form/preview.tsx'
import { answerTo, sentForm, stepOf, touched, untouched, withSeen } from '../parts/bundle-form/state.ts'
import { conflictChoices, KEEP_BOTH, TakeTheirs, withBoth } from '../parts/bundle-form/their-changes.tsx'
import { HistoryNotice, madeVersion } from '../parts/flash.tsx'
import { dryRun, iconsFor, type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { ReadOnlyPage } from './read-only.tsx'
import { refusalOf } from './rename.tsx'
import { EditBundlePage, HealthNotice } from './view.tsx'

/** The page of a bundle: its links and details. */
export const editorScreens: readonly Screen[] = [
  {
    path: routes.bundle.edit.path,
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      if (allowsRole(roleOver(bundle, visit.site.user), 'editor')) {
        const editing = { ...untouched(savedForm(bundle)), version: bundle.versionNumber }
        const page = await editorPage(visit, bundle, editing)
        const { searchParams: query } = new URL(visit.request.url)
        const tells = query.get('notice') === 'saved' && query.has('lists')
        return tells && 'view' in page ? { ...page, told: ownLists(bundle) } : page
      }
      const icons = await iconsFor(visit, { ...bundle, resolutionPolicy: null })
      const view = <ReadOnlyPage site={visit.site} bundle={bundle} icons={icons} />
      return { ...headed(bundle), view, notices: [<HealthNotice health={bundle.health} />] }
    },
    post: save,
  },
]

/** The form of a bundle, with the fields that only the owner edits. */
const savedForm = (bundle: StoredBundle) => ({ ...formOf(bundle), slug: bundle.slug, own: ownForm(bundle) })

/** Rules that a message names; the others are counted. */
const MAX_NAMED = 3

/** Which rules have lists of their own, so that an edit of the links does not reach their viewers; undefined if none has. */
function ownLists({ resolutionPolicy }: StoredBundle): string | undefined {
  const names = (resolutionPolicy?.rules ?? [])
    .filter((rule) => !follows(rule))
    .map(({ name }) => `\u2068${name}\u2069`)
  if (names.length === 0) return undefined
  const more = names.length - MAX_NAMED
  const said = more > 0 ? [...names.slice(0, MAX_NAMED), count(more, 'more rule')] : names
  return `${joinList(said, 'and')} ${names.length === 1 ? 'keeps a list of its own' : 'keep lists of their own'}.`
}

const headed = (bundle: StoredBundle) => ({ section: 'bundles', title: headingOf(bundle) }) as const

async function save(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const { slug = '' } = visit.params
  const bundle = await run(visit, getBundle, { slug })
  requireRole(roleOver(bundle, visit.site.user), 'editor')
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you are editing: reload the bundle')
  const isCurrent = version === bundle.versionNumber
  const read = await sentForm(sent, savedForm(bundle))
  const { form, button } = read
  const over = versionIn(sent.get('over') ?? '')
  const attempt = async (input: FormInput) =>
    dryRun(visit, updateBundle, { ...input, ...ownOf(form), slug }, { expectedVersion: version })
  const newSlug = typedSlug(form.slug)
  const misnamed = newSlug === bundle.slug ? null : await refusalOf(visit, { slug, newSlug })
  const done = await stepOf(visit, read, attempt)
  const step = done && { ...done, checked: named(done.checked, bundle, newSlug, misnamed) }
  const late = { slug, form, step, begunWith: over ?? version, button, health: bundle.health }
  // Edits kept in the browser may belong to an earlier version.
  if ((button === 'restore' && !isCurrent) || (over !== null && button !== 'save')) return besideTheirs(visit, late)
  if (button === 'restore') return editorPage(visit, bundle, { ...touched(form), version })
  if (step !== null) {
    return editorPage(visit, bundle, { ...step, changes: isCurrent ? step.changes : '', version })
  }

  const { content } = contentOf(form)
  const path = routes.bundle.edit.href({ slug })
  const password = passwordOf(form)
  const isSameContent = () => isSame(diff(bundle, { ...bundle, ...content }))
  const isKept = password.password === undefined && !isOwnTouched(form)
  const isUnchanged = isKept && isCurrent && isSameContent()
  if (isUnchanged && newSlug === bundle.slug) return { to: withFlash(path, 'unchanged') }
  if (misnamed !== null) {
    const checked = named(checkedForm(form, null), bundle, newSlug, misnamed)
    return editorPage(visit, bundle, { ...touched(form), checked, version, over }, misnamed)
  }
  const saved = await resultOrProblem(async () =>
    isUnchanged
      ? bundle
      : run(
          visit,
          updateBundle,
          { slug, ...content, ...rulesOf(form), ...password, ...ownOf(form) },
          { expectedVersion: version },
        ),
  )
  if (!(saved instanceof Problem)) {
    if (newSlug !== bundle.slug) return renameSaved(visit, saved, newSlug)
    const tellsOfLists = ownLists(saved) !== undefined && diff(bundle, saved).links.length > 0
    return { to: withFlash(path, 'saved', { ...madeVersion(saved), ...(tellsOfLists ? { lists: '' } : {}) }) }
  }
  if (saved.code === 'VERSION_CONFLICT') return besideTheirs(visit, late, saved)
  return editorPage(visit, bundle, { ...touched(form), checked: checkedForm(form, saved), version, over }, saved)
}

/** Gives a saved bundle its new slug. The content is saved even if somebody has taken that slug this very moment. */
async function renameSaved(visit: Visit, saved: StoredBundle, newSlug: string): Promise<Outcome> {
  const { slug, versionNumber: version } = saved
  const renamed = await resultOrProblem(() => run(visit, renameBundle, { slug, newSlug }, { expectedVersion: version }))
  if (!(renamed instanceof Problem))
    return { to: withFlash(routes.bundle.edit.href({ slug: newSlug }), 'renamed', { slug: newSlug, was: slug }) }
  const form = { ...savedForm(saved), slug: newSlug }
  const checked = named(checkedForm(form, null), saved, newSlug, renamed)
  return editorPage(visit, saved, { ...touched(form), checked, version }, renamed)
}

/** What is said of a new slug: why the bundle cannot have it, or that it is free. */
function named(checked: Checked, { slug }: StoredBundle, newSlug: string, refused: Problem | null): Checked {
  if (newSlug === slug) return checked
  if (refused === null) return { ...checked, isSlugFree: true }
  return { ...checked, errors: [...checked.errors, { link: null, field: 'slug', says: besideSlug(refused) }] }
}

/** A form submitted after somebody else saved. */
interface Late {
  slug: string
  form: BundleForm
  /** The form after one of its buttons. */
  step: EditorState | null
  /** The version from which the form started. */
  begunWith: number
  /** The pressed button, which may copy one of the other person's changes into the form. */
  button: string
  health: LinkHealth[] | undefined
}

/** The form with the conflict; saving it again overwrites the other version. */
async function besideTheirs(
  visit: Visit,
  { slug, form: typed, step, begunWith, button, health }: Late,
  problem?: Problem,
): Promise<Outcome> {
  const sides = await sidesOf(visit, slug, begunWith)
  const { theirs, base } = sides
  const opened = { ...theirs, health }
  const both = { changes: diff(base, theirs), base, theirs }
  const sent = step?.form ?? typed
  const form =
    button === KEEP_BOTH
      ? withBoth(both, sent)
      : (conflictChoices(both, sent).find(({ name }) => name === button)?.applied ?? sent)
  const { content } = contentOf(form)
  const choices = conflictChoices(both, form)
  const isLosing = choices.length > 0 || both.changes.links.some((entry) => entry.kind === 'kept' && entry.isMoved)
  const state = step === null ? touched(form) : { ...step, changes: '' }
  const editing = { ...state, version: theirs.versionNumber, over: begunWith, isLosing }
  // Invalid URLs cannot be compared; a list that is too long cannot be saved anyway.
  const isComparable = content.urls.length <= MAX_ROWS && content.urls.every((url) => unfitUrl(url) === null)
  if (!isComparable) return editorPage(visit, opened, editing, problem)
  const conflict = (
    <>
      {conflictOf(visit, sides, {
        content,
        page: routes.bundle.edit.href({ slug }),
        isLosing,
        keepBoth: choices.some(({ isFree }) => isFree) ? KEEP_BOTH : undefined,
      })}
      <TakeTheirs choices={choices} />
    </>
  )
  return editorPage(visit, opened, { ...editing, conflict }, problem)
}

/** A bundle with the state of its links. */
type Opened = StoredBundle & { health?: LinkHealth[] | undefined }

interface Editing extends EditorState {
  version: number
  over?: number | null
  conflict?: JSX.Element | undefined
  /** Whether saving discards somebody else's changes. */
  isLosing?: boolean
}

async function editorPage(visit: Visit, bundle: Opened, editing: Editing, problem?: Problem): Promise<Outcome> {
  const { version, over = null, conflict, isLosing = over !== null, ...state } = editing
  const { store, config } = visit.service
  const mayRename = allowsRole(roleOver(bundle, visit.site.user), 'admin')
  const [history, shown, icons, proposed] = await Promise.all([
    historyUse(store, bundle.owner, config),
    withSeen(visit, state, bundle.slug),
    iconsFor(visit, contentOf(state.form).content),
    mayRename ? proposedSlug(store, bundle) : null,
  ])
  const props = {
    site: visit.site,
    bundle,
    version,
    over,
    conflict,
    isLosing,
    naming: mayRename ? { proposed } : undefined,
    state: shown,
    icons,
    isPreviewHidden: isPreviewHidden(visit.request),
  }
  const notices =
    conflict === undefined && over === null
      ? [<HistoryNotice history={history} />, <HealthNotice health={bundle.health} />]
      : ('within' as const)
  return answerTo(state, { ...headed(bundle), view: <EditBundlePage {...props} />, notices, problem, staysSaved: true })
}
