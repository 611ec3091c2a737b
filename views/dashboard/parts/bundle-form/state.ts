import { BOUNDS } from '../../../../src/bundles/content/content.ts'
import { seenElsewhere } from '../../../../src/bundles/links/elsewhere.ts'
import { isDeclaration, offersIn } from '../../../../src/bundles/variables/placeholders.ts'
import { withTimeout } from '../../../../src/core/scheduling.ts'
import { count } from '../../../../src/core/words.ts'
import { htmxTarget } from '../../../../src/http/respond.ts'
import { signedIn } from '../../../../src/identity/caller.ts'
import type { FoundList } from '../../../../src/imports/plan.ts'
import { writtenIn } from '../../../parts/found.tsx'
import { type Outcome, resultOrProblem, type ScreenPage, type Visit } from '../screens.tsx'
import {
  askedOf,
  type BundleForm,
  type EditorState,
  type Focus,
  isEmptyLink,
  type LinkFields,
  NEW_LINK,
  NEW_VARIABLE,
  namesOf,
  type Removed,
  urlsOf,
  VARIABLE_FIELDS,
} from './bundle-form.ts'
import { changesIn, checkedForm } from './checked-form.ts'
import {
  buttonOf,
  contentOf,
  declaring,
  type FormInput,
  hasVariables,
  numbered,
  passwordOf,
  pastedIn,
  readBundleForm,
  seenIn,
  withNames,
} from './form.ts'
import { withOffer } from './names.ts'
import { afterOwnButton } from './own.tsx'

/** The initial state of a form. */
export function untouched(form: BundleForm): EditorState {
  return {
    form: numbered(form),
    checked: checkedForm(form, null),
    pasted: null,
    isTouched: false,
    focus: null,
    announcement: '',
    changes: '',
    step: null,
    has: new Set(),
    seen: null,
  }
}

/** A form with unsaved input. */
export function touched(form: BundleForm): EditorState {
  return { ...untouched(form), isTouched: true }
}

/** A submitted form. */
interface SentForm {
  /** The form as opened. */
  before: BundleForm
  /** The form as typed. */
  typed: BundleForm
  /** The same, with the typed names applied to all their uses. */
  form: BundleForm
  pasted: FoundList | null
  button: string
  /** The parts of the form that the page already has. */
  has: ReadonlySet<string>
  /** The other bundles of its links, as sent by the page; null if the links have changed since. */
  seen: EditorState['seen']
  /** Whether names in braces in its links become variables: not without the block that shows them. */
  isDeclaring: boolean
  /** Whether they have changed the rows of variables. */
  isRegrouped: boolean
}

/**
 * The submitted form.
 * @param before the form as it was opened.
 * @throws Problem BAD_REQUEST for more links than a page can show.
 */
export async function sentForm(sent: URLSearchParams, before: BundleForm): Promise<SentForm> {
  const pasted = await pastedIn(sent)
  const read = numbered(readBundleForm(sent, before, pasted))
  const isDeclaring = hasVariables(sent)
  const named = withNames(read)
  const form = isDeclaring ? declaring(named) : named
  const { variables } = form
  const rows = variables.map((one) => read.variables.find(({ row }) => row === one.row) ?? one)
  const typed = { ...read, variables: rows }
  return {
    before,
    typed,
    form,
    isDeclaring,
    isRegrouped: rows.length !== read.variables.length || rows.some((one, at) => one !== read.variables[at]),
    pasted,
    button: buttonOf(sent, pasted),
    has: new Set(sent.getAll('has')),
    seen: seenIn(sent, typed),
  }
}

/**
 * The form after one of its buttons or a pause in typing, with its errors so far; null for any other action. A half-typed name is
 * not applied elsewhere.
 * @param attempt tries to save it.
 */
export async function stepOf(
  visit: Visit,
  { before, typed, form, pasted, button, has, seen, isDeclaring, isRegrouped }: SentForm,
  attempt: (input: FormInput) => Promise<void>,
): Promise<EditorState | null> {
  const isCheck = button === 'check'
  const after = isCheck ? { form, focus: null, announcement: '' } : afterButton(form, button, pasted)
  if (after === null) return null
  const pressed = isDeclaring && !isCheck ? { ...after, form: declaring(after.form) } : after
  const refused = await resultOrProblem(() => attempt({ ...contentOf(pressed.form).content, ...passwordOf(form) }))
  const { errors, ...checked } = checkedForm(pressed.form, refused ?? null)
  const list =
    refused?.code === 'VERSION_CONFLICT'
      ? 'Someone saved this bundle in the meantime. Save yours to compare both.'
      : (checked.list ?? checked.form)
  const isPart = htmxTarget(visit.request) !== null
  return {
    ...touched(isCheck ? typed : pressed.form),
    // An empty form is not an error yet, and neither is a password that nobody has typed.
    checked: {
      ...checked,
      errors: errors.filter(({ field }) => field !== 'password' || form.password !== ''),
      form: null,
      list: checked.count === 0 ? null : list,
    },
    pasted,
    focus: isPart && isKept(pressed.focus) ? null : pressed.focus,
    announcement: pressed.announcement,
    changes: changesIn(before, pressed.form),
    has,
    seen: askedOf({ form: pressed.form, seen }) === askedOf({ form: typed, seen }) ? seen : null,
    // The parts of a check cannot add or remove a row.
    step: !isPart ? null : isCheck && !isRegrouped ? 'checked' : 'pressed',
  }
}

/** Whether the focus is on a button that moved a row: in the same page, the button or its row has kept it. */
function isKept(focus: Focus | null): boolean {
  return focus !== null && 'link' in focus && (focus.on === 'up' || focus.on === 'down')
}

/** The answer to a form: for a step, the form or its changed parts; otherwise the page. */
export function answerTo({ step }: EditorState, page: ScreenPage): Outcome {
  if (step === null) return page
  return { part: page.view, into: '#editor', swap: step === 'checked' ? 'none' : 'outerMorph' }
}

/** How long a page waits for a hint before other long reads may continue. */
const HINT_MS = 250

/**
 * Adds the other bundles that contain the form's links, if they are found soon: later they would move the visible text.
 * @param slug of the edited or copied bundle; empty for a new one.
 */
export async function withSeen({ service, context }: Visit, state: EditorState, slug: string): Promise<EditorState> {
  const urls = urlsOf(state.form)
  if (urls.length === 0 || state.seen !== null) return state
  const seen = await withTimeout(HINT_MS, seenElsewhere(service.store, signedIn(context.caller), urls, slug))
  return { ...state, seen: seen ?? null }
}

// Effects of the form's buttons, with and without its script. Buttons of a row contain its number, so that they mean the same row
// while an earlier answer is pending.

/** The form after a button, with the focus and the announcement. */
interface Pressed {
  form: BundleForm
  focus: Focus | null
  announcement: string
}

/** The form after one of its buttons; null for a button that does not change it. */
function afterButton(form: BundleForm, button: string, pasted: FoundList | null): Pressed | null {
  const own = afterOwnButton(form.own, button)
  if (own !== null) return { form: { ...form, own: own.own }, focus: { entry: own.entry }, announcement: '' }
  if (button === 'refresh') return { form, focus: null, announcement: '' }
  const [, action = '', number] = /^([a-z]+)(?:-(\d{1,6}))?(?:$|-)/.exec(button) ?? []
  if (action === 'paste') return pastedAfter(form, number, pasted)
  if (action === 'add') return withNewLink(form, number)
  const proposed = /^slug-([a-z0-9-]{3,64})$/.exec(button)?.[1]
  if (proposed !== undefined)
    return { form: { ...form, slug: proposed }, focus: null, announcement: `The link will end in ${proposed}` }
  if (action === 'section') {
    const section = newSection(form.links)
    const links = [...form.links, { ...NEW_LINK, section }]
    return {
      form: { ...form, links },
      focus: { link: links.length - 1, on: 'section' },
      announcement: `${section} added`,
    }
  }
  return number === undefined
    ? afterVariableButton(form, button)
    : (afterLinkButton(form, action, number, button) ?? afterVariableButton(form, button))
}

/** The pasted links are last in the form; they move below the given row, if any, and replace empty rows. */
function pastedAfter(form: BundleForm, number: string | undefined, pasted: FoundList | null): Pressed {
  if (pasted === null) return { form, focus: { paste: true }, announcement: '' }
  const first = form.links.length - Math.max(1, pasted.links.length)
  const [before, added] = [form.links.slice(0, first), form.links.slice(first)]
  const at = before.findIndex(({ row }) => row === number)
  const all = before.toSpliced(at === -1 ? first : at + 1, 0, ...added)
  const links = all.filter((link) => added.includes(link) || !isEmptyLink(link))
  const last = links.indexOf(added.at(-1)!)
  const announcement =
    added.length === 1 ? `Link ${placeIn(links, last)} added` : `${count(added.length, 'link')} added`
  return { form: { ...form, links }, focus: { link: last, on: 'url' }, announcement }
}

/** A new link belongs to the section above it. The script adds and focuses its row at once; then the form already contains it. */
function withNewLink(form: BundleForm, number = ''): Pressed {
  const at = form.links.findIndex(({ row }) => row !== '' && row === number)
  const place = at === -1 ? form.links.length : at
  const { section = '' } = form.links[place - 1] ?? {}
  const added = form.links[at] ?? { ...NEW_LINK, row: number }
  const links = form.links.toSpliced(place, 1, { ...added, section: added.section || section })
  return {
    form: { ...form, links },
    focus: at === -1 ? { link: place, on: 'url' } : null,
    announcement: `Link ${placeIn(links, place)} added`,
  }
}

/** The same for the buttons of a row; `moved` is sent after dragging. */
function afterLinkButton(form: BundleForm, action: string, number: string, button: string): Pressed | null {
  const { links, removed } = form
  const back = action === 'back' ? putBack(links, removed.links, number) : null
  if (back !== null) {
    const announcement = `Put back as link ${placeIn(back.rows, back.at)}`
    const put = { ...form, links: back.rows, removed: { ...removed, links: back.removed } }
    return { form: put, focus: { link: back.at, on: 'line' }, announcement }
  }
  const at = links.findIndex(({ row }) => row === number)
  const link = links[at]
  if (link === undefined) return null
  if (action === 'remove') {
    const left = takenOut(links, removed.links, at)
    const without = { ...form, links: left.rows, removed: { ...removed, links: left.removed } }
    return { form: without, focus: { removed: number }, announcement: 'Link removed. It can be put back.' }
  }
  if (action === 'undo') {
    const url = writtenIn(link.said ?? []) ?? link.url
    const undone = { ...form, links: links.with(at, { ...link, url, said: undefined }) }
    return { form: undone, focus: { link: at, on: 'line' }, announcement: 'The address is as it was written' }
  }
  const to = { up: at - 1, down: at + 1, moved: at }[action]
  if (to === undefined || button !== `${action}-${number}`) return null
  const focus = { link: at, on: action === 'up' ? 'up' : 'down' } as const
  if (links[to] === undefined) {
    return { form, focus, announcement: `It is the ${action === 'up' ? 'first' : 'last'} link already` }
  }
  const rest = links.toSpliced(at, 1)
  const put = amid(rest, to, link)
  const moved = rest.toSpliced(to, 0, put)
  const place = put.section.trim() === '' ? '' : `, in ${put.section.trim()}`
  return {
    form: { ...form, links: moved },
    focus: { ...focus, link: to },
    announcement: `Link moved to ${placeIn(moved, to)}${place}`,
  }
}

/** The same for the buttons of variables. */
function afterVariableButton(form: BundleForm, button: string): Pressed | null {
  const { links, variables, removed } = form
  const [, action, number = ''] = /^(variable|forget|remember)(?:-(\d{1,6}))?$/.exec(button) ?? []
  const at = variables.findIndex(({ row }) => row !== '' && row === number)
  if (action === 'variable') {
    const announcement = 'Variable added'
    if (at !== -1) return { form, focus: null, announcement }
    const added = { ...form, variables: [...variables, { ...NEW_VARIABLE, row: number }] }
    return { form: added, focus: { variable: variables.length, on: 'name' }, announcement }
  }
  if (action === 'forget' && at !== -1) {
    const left = takenOut(variables, removed.variables, at)
    const without = { ...form, variables: left.rows, removed: { ...removed, variables: left.removed } }
    return { form: without, focus: { removed: number }, announcement: 'Variable removed. It can be put back.' }
  }
  if (action === 'remember') return variableBack(form, number)
  const kept = variables.findIndex(({ name }) => button === `plain-${name.trim()}`)
  const row = variables[kept]
  if (row !== undefined) return keptAsText(form, kept, row.name.trim())
  const urls = links.map(({ url }) => url)
  const offer = offersIn(urls, namesOf(form), BOUNDS.variables).find(({ written }) => button === `declare-${written}`)
  if (offer === undefined) return null
  const gone = removed.variables.find(({ fields }) => fields.name.trim() === offer.name)
  if (gone !== undefined && isDeclaration(offer)) return variableBack(form, gone.fields.row)
  const taken = withOffer(form, offer)
  const variable = taken.variables.findIndex(({ name }) => name.trim() === offer.name)
  const announcement =
    taken.variables === variables ? `The links have ${offer.name} now` : `${offer.name} is a variable now`
  return { form: taken, focus: { variable, on: 'label' }, announcement }
}

/** Restores a removed variable; null for an unknown number. */
function variableBack(form: BundleForm, number: string): Pressed | null {
  const back = putBack(form.variables, form.removed.variables, number)
  if (back === null) return null
  const put = { ...form, variables: back.rows, removed: { ...form.removed, variables: back.removed } }
  const announcement = `${back.rows[back.at]?.name.trim()} is back`
  return { form: put, focus: { variable: back.at, on: 'name' }, announcement }
}

/** A name in braces becomes text again. Its row can be restored, unless only its name is known. */
function keptAsText(form: BundleForm, at: number, name: string): Pressed {
  const { variables, removed } = form
  const left = takenOut(variables, removed.variables, at)
  const isKnown = VARIABLE_FIELDS.some((field) => field !== 'name' && variables[at]?.[field].trim() !== '')
  const kept = left.removed.filter(({ fields }) => isKnown || fields !== variables[at])
  return {
    form: { ...form, variables: left.rows, removed: { ...removed, variables: kept }, plain: [...form.plain, name] },
    focus: { name },
    announcement: `{${name}} stays text`,
  }
}

/** Removes a row, which can be restored at its position. */
function takenOut<Fields>(rows: readonly Fields[], removed: readonly Removed<Fields>[], at: number) {
  const above = removed.filter((one) => one.at <= at)
  const below = removed.slice(above.length).map((one) => ({ ...one, at: one.at - 1 }))
  return { rows: rows.toSpliced(at, 1), removed: [...above, { at, fields: rows[at]! }, ...below] }
}

/** Restores a removed row at its position; null for an unknown number. */
function putBack<Fields extends { row: string }>(rows: Fields[], removed: readonly Removed<Fields>[], number: string) {
  const index = removed.findIndex(({ fields }) => fields.row === number)
  const found = removed[index]
  if (found === undefined) return null
  const { fields } = found
  const at = Math.min(found.at, rows.length)
  const below = removed.slice(index + 1).map((one) => ({ ...one, at: one.at + 1 }))
  return { rows: rows.toSpliced(at, 0, fields), at, removed: [...removed.slice(0, index), ...below] }
}

/** A moved link takes the section around its new position, or beside it. */
function amid(links: readonly LinkFields[], to: number, link: LinkFields): LinkFields {
  const sections = [links[to - 1], links[to]].flatMap((neighbour) => (neighbour === undefined ? [] : neighbour.section))
  return sections.includes(link.section) ? link : { ...link, section: sections[0] ?? '' }
}

/** A name for a section that is not in use. */
function newSection(links: readonly LinkFields[]): string {
  const taken = new Set(links.map(({ section }) => section.trim()))
  let name = 'New section'
  for (let n = 2; taken.has(name); n += 1) name = `New section ${n}`
  return name
}

const placeIn = (links: readonly LinkFields[], at: number) => `${at + 1} of ${links.length}`
