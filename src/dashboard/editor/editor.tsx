/** @jsxImportSource @kitajs/html */

import type { BundleForm, EditorState, LinkFields } from '../../../views/dashboard/editor/bundle-form.ts'
import { EditBundlePage } from '../../../views/dashboard/editor/edit-bundle.tsx'
import { ReadOnlyPage } from '../../../views/dashboard/editor/read-only.tsx'
import { type ConflictChoice, TakeTheirs } from '../../../views/dashboard/editor/take-theirs.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import { headingOf } from '../../../views/launcher/launcher.tsx'
import { CONTENT, SCALAR_NAMES } from '../../bundles/content.ts'
import { type BundleDiff, diff, isSame } from '../../bundles/diff.ts'
import { historyUse } from '../../bundles/history-cap.ts'
import { type Link, textsOf } from '../../bundles/link-fields.ts'
import type { Entry } from '../../bundles/list-diff.ts'
import { getBundle, updateBundle } from '../../bundles/operations.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { inWords } from '../../bundles/values.ts'
import { Problem } from '../../core/problem.ts'
import { unfitUrl } from '../../core/text.ts'
import { versionIn } from '../../http/fields.ts'
import { allowsRole, requireRole } from '../../identity/roles.ts'
import type { Outcome, Screen, ScreenPage } from '../parts/screens.tsx'
import { dryRun, resultOrProblem, run, type Visit } from '../parts/visit.ts'
import { buttonOf, contentOf, formOf, MAX_ROWS, passwordOf, pastedIn, readBundleForm } from './bundle-form.ts'
import { afterButton } from './buttons.ts'
import { checkedForm } from './checked-form.ts'
import { conflictOf, sidesOf } from './conflict.tsx'
import { isPreviewHidden } from './preview.tsx'
import { check, touched, untouched } from './state.tsx'
import { rulesOf, variableFields, variablesOf } from './variable-fields.ts'

/** The page of a bundle: its links and details. */
export const editorScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug',
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      if (allowsRole(roleOver(bundle, visit.site.user), 'editor')) {
        return editorPage(visit, bundle, { ...untouched(formOf(bundle)), version: bundle.versionNumber })
      }
      return { ...headed(bundle), view: <ReadOnlyPage site={visit.site} bundle={bundle} /> }
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

const headed = (bundle: StoredBundle) => ({ section: 'bundles', title: headingOf(bundle) }) as const

async function save(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const { slug = '' } = visit.params
  const bundle = await run(visit, getBundle, { slug })
  requireRole(roleOver(bundle, visit.site.user), 'editor')
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you are editing: reload the bundle')
  const form = readBundleForm(sent, formOf(bundle))
  const over = versionIn(sent.get('over') ?? '')
  const button = buttonOf(sent)
  const pressed = afterButton(form, button)
  const focus = pressed?.focus ?? null
  const late = { slug, form: pressed?.form ?? form, begunWith: over ?? version, button }
  if (over !== null && button !== 'save') return besideTheirs(visit, late, focus)
  if (pressed !== null) {
    return editorPage(visit, bundle, { ...touched(pressed.form), pasted: pastedIn(sent), focus, version })
  }

  const { content } = contentOf(form)
  const path = `/dashboard/links/${slug}`
  const password = passwordOf(form)
  const isSameContent = () => isSame(diff(bundle, { ...bundle, ...content }))
  const isUnchanged = password.password === undefined && version === bundle.versionNumber && isSameContent()
  if (isUnchanged) return { to: withFlash(path, 'unchanged') }
  const saved = await resultOrProblem(() =>
    run(visit, updateBundle, { slug, ...content, ...rulesOf(form), ...password }, { expectedVersion: version }),
  )
  if (!(saved instanceof Problem)) return { to: withFlash(path, 'saved') }
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
}

/** The form with the conflict; saving it again overwrites their version. */
async function besideTheirs(
  visit: Visit,
  { slug, form: sent, begunWith, button }: Late,
  focus: EditorState['focus'],
  problem?: Problem,
): Promise<ScreenPage> {
  const sides = await sidesOf(visit, slug, begunWith)
  const { theirs, base } = sides
  const changes = diff(base, theirs)
  const form = conflictChoices(changes, sent, theirs).find(({ name }) => name === button)?.applied ?? sent
  const { content } = contentOf(form)
  const editing = { ...touched(form), focus, version: theirs.versionNumber, over: begunWith }
  // Invalid URLs cannot be compared; a list that is too long cannot be saved anyway.
  const isComparable = content.urls.length <= MAX_ROWS && content.urls.every((url) => unfitUrl(url) === null)
  if (!isComparable) return editorPage(visit, theirs, editing, problem)
  const conflict = (
    <>
      {conflictOf(visit, sides, { content, page: `/dashboard/links/${slug}` })}
      <TakeTheirs choices={conflictChoices(changes, form, theirs)} />
    </>
  )
  return editorPage(visit, theirs, { ...editing, conflict }, problem)
}

interface Editing extends EditorState {
  version: number
  over?: number | null
  conflict?: JSX.Element | undefined
}

async function editorPage(
  visit: Visit,
  bundle: StoredBundle,
  editing: Editing,
  problem?: Problem,
): Promise<ScreenPage> {
  const { version, over = null, conflict, ...state } = editing
  const { store, config } = visit.service
  const history = await historyUse(store, bundle.owner, config)
  const props = {
    site: visit.site,
    bundle,
    version,
    over,
    conflict,
    state,
    history,
    isPreviewHidden: isPreviewHidden(visit.request),
  }
  return { ...headed(bundle), view: <EditBundlePage {...props} />, problem }
}

/** Somebody else's change, and the form with it applied. */
interface AppliedChoice extends ConflictChoice {
  applied: BundleForm
}

/** The changes that can be applied to a form; links that only moved keep their place in the form. */
function conflictChoices(
  { fields, links, variables }: BundleDiff,
  form: BundleForm,
  theirs: Pick<StoredBundle, 'variables'>,
): AppliedChoice[] {
  const isOurs = JSON.stringify(variablesOf(form).variables) === JSON.stringify(theirs.variables)
  return [
    ...SCALAR_NAMES.flatMap((field) => {
      const to = fields[field]?.to
      if (to === undefined || form[field].trim() === to) return []
      const { label, kind } = CONTENT[field]
      const what = to === '' ? '(none)' : inWords(field, to)
      const isTime = kind === 'time' && to !== ''
      return [{ name: `take-${field}`, kind: label, what, isTime, applied: { ...form, [field]: to } }]
    }),
    ...(variables.length === 0 || isOurs
      ? []
      : [
          {
            name: 'take-variables',
            kind: CONTENT.variables.label,
            what: theirs.variables.map(({ name }) => `{${name}}`).join(', ') || '(none)',
            isTime: false,
            applied: { ...form, variables: theirs.variables.map(variableFields) },
          },
        ]),
    ...links.flatMap((entry, index) => {
      const applied = withLink(form.links, entry)
      const kind = { added: 'Added', removed: 'Removed', kept: 'Changed' }[entry.kind]
      return applied === null
        ? []
        : [{ name: `take-${index}`, kind, what: entry.value.url, isTime: false, applied: { ...form, links: applied } }]
    }),
  ]
}

/** A form's links with one of their changes applied; null if it does not apply. */
function withLink(links: readonly LinkFields[], entry: Entry<Link>): LinkFields[] | null {
  const placeOf = (sought: string) => links.findIndex(({ url }) => url.trim() === sought)
  const at = placeOf(entry.value.url)
  if (entry.kind === 'added') return at === -1 ? links.toSpliced(entry.to, 0, textsOf(entry.value)) : null
  if (entry.kind === 'removed') return at === -1 ? null : links.toSpliced(at, 1)
  const { url } = entry.changes
  const before = url === undefined ? at : placeOf(url.from)
  if (before === -1 || Object.keys(entry.changes).length === 0) return null
  const fields = textsOf(entry.value)
  return JSON.stringify(fields) === JSON.stringify(links[before]) ? null : links.toSpliced(before, 1, fields)
}
