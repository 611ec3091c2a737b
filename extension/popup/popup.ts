import { BOUNDS } from '../../src/bundles/content/content.ts'
import {
  changeDraft,
  type Draft,
  dropDraft,
  keepDraft,
  keptLinks,
  onDrafts,
  readDrafts,
  type Source,
} from '../parts/draft.ts'
import { chooseInstance, type Instance, readInstances } from '../parts/instances.ts'
import { lastBundleOf, readUnclaimed, type Unclaimed } from '../parts/kept-links.ts'
import type { SaveMessage } from '../parts/saving.ts'
import { inTurn } from '../parts/turns.ts'
import { el, icon } from './elements.ts'
import { footView, isLocked } from './foot.ts'
import { showGroup } from './group.ts'
import { listView } from './list.ts'
import { pickerView } from './picker.ts'
import { resultView, unclaimedView } from './result.ts'
import {
  type Ask,
  askFor,
  type Choice,
  choicesIn,
  draftOf,
  type Folder,
  firstSource,
  openConnect,
  type Place,
  readFolders,
  readPlace,
} from './sources.ts'

/** What the popup shows. */
interface Shown {
  view: 'list' | 'picker' | 'unclaimed'
  all: readonly Instance[]
  instance: Instance | null
  place: Place
  choices: readonly Choice[]
  draft: Draft
  /** What must be allowed before the chosen source can be read. */
  ask: Ask | null
  /** Whether the permission was refused. */
  isRefused: boolean
  folders: readonly Folder[]
  isOld: boolean
  isCopied: boolean | null
  unclaimed: readonly Unclaimed[]
}

const [header, main] = [document.querySelector('header')!, document.querySelector('main')!]
/** The window that a popup in a window of its own is for; the browser's own popup belongs to its window. */
const asked = new URLSearchParams(location.search).get('window')
document.documentElement.classList.toggle('page', asked !== null)

let shown: Shown = await begin()
draw()
// So that Enter saves: the shortcut and Enter are two presses.
document.querySelector<HTMLElement>('#save, #connect')?.focus()
onDrafts(() => void inTurn('popup', takeOver))
void showGroup(asked === null ? null : Number(asked))
if (shown.draft.state === 'saving') void send()

async function begin(): Promise<Shown> {
  const [{ all, chosen }, place, drafts, unclaimed] = await Promise.all([
    readInstances(),
    readPlace(asked === null ? null : Number(asked)),
    readDrafts(),
    readUnclaimed(),
  ])
  const choices = choicesIn(place)
  const kept = drafts.at(-1)
  const rest = {
    view: 'list',
    all,
    instance: chosen,
    place,
    choices,
    isRefused: false,
    isCopied: null,
    unclaimed,
  } as const
  if (kept !== undefined) {
    const draft = await shownOnce(kept, chosen)
    return { ...rest, draft, ask: null, folders: [], isOld: kept.isEdited && kept.state === 'open' }
  }
  return { ...rest, ...(await chosenSource(firstSource(choices), place, all)), isOld: false }
}

/** What was only begun by a menu, or is saved, is not shown again by the next popup: from here on, its user has seen it. */
async function shownOnce(kept: Draft, instance: Instance | null): Promise<Draft> {
  const isFresh = !kept.isEdited && kept.state === 'open' && kept.trouble === null
  if (isFresh || kept.state === 'saved') await dropDraft(kept.key)
  if (!isFresh || instance === null || instance.account === null) return kept
  const last = await lastBundleOf(instance.origin)
  return { ...kept, target: last === null ? null : { ...last, links: null } }
}

/** The list of a source; empty until it may be read. */
async function chosenSource(source: Source, place: Place, all: readonly Instance[]) {
  const ask = askFor(source, place)
  const origins = all.map(({ origin }) => origin)
  const isFolder = source.kind === 'folder'
  const draft = await draftOf(source, ask === null ? place : { ...place, tabs: [] }, origins)
  return { draft, ask, isRefused: false, folders: isFolder && ask === null ? await readFolders() : [] }
}

/** Draws everything anew; the focus and the place in the list stay. */
function draw(): void {
  const [focused, scrolled] = [document.activeElement?.id ?? '', main.querySelector('.sheet')?.scrollTop ?? 0]
  header.replaceChildren(header.firstElementChild!, ...headerView())
  main.replaceChildren(...views())
  main.dataset.view = shown.draft.state === 'saved' && shown.view === 'list' ? 'result' : shown.view
  const next = focused === '' ? null : document.getElementById(focused)
  next?.focus()
  const sheet = main.querySelector('.sheet')
  if (sheet !== null) sheet.scrollTop = scrolled
}

function headerView(): HTMLElement[] {
  const { all, instance, draft } = shown
  const settings = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      id: 'settings',
      title: 'Settings',
      'aria-label': 'Settings',
      onclick: () => chrome.runtime.openOptionsPage(),
    },
    icon('settings'),
  )
  if (instance === null) return [settings]
  if (all.length === 1) return [el('p', { class: 'hint' }, new URL(instance.origin).host), settings]
  const select: HTMLSelectElement = el(
    'select',
    { 'aria-label': 'Service', id: 'service', disabled: isLocked(draft), onchange: () => chooseService(select.value) },
    ...all.map(({ origin }) =>
      el('option', { value: origin, selected: origin === instance.origin }, new URL(origin).host),
    ),
  )
  return [select, settings]
}

function views(): HTMLElement[] {
  const { view, instance, draft, isCopied, unclaimed } = shown
  if (instance === null) return [connectView()]
  if (view === 'unclaimed') {
    const changed = async () => show({ unclaimed: await readUnclaimed() })
    return unclaimedView({ unclaimed, back: () => show({ view: 'list' }, 'unclaimed'), changed })
  }
  if (draft.state === 'saved') return resultView({ draft, isCopied, more: startOver })
  if (view === 'picker') {
    const picked = (target: Draft['target']) => {
      edit({ target })
      show({ view: 'list' }, 'save')
    }
    return pickerView({ instance, isNew: draft.target === null, picked, back: () => show({ view: 'list' }, 'pick') })
  }
  return [sourcesView(), sheetView(), el('footer', {}, ...footer(instance))]
}

function footer(instance: Instance): HTMLElement[] {
  const { draft, isOld, unclaimed } = shown
  return footView({
    draft,
    instance,
    isOld,
    unclaimed: unclaimed.length,
    save: () => void save(instance),
    keepFirst,
    startOver,
    pick: () => show({ view: 'picker' }, 'search'),
    showUnclaimed: () => show({ view: 'unclaimed' }, 'back'),
  })
}

function connectView(): HTMLElement {
  return el(
    'div',
    { class: 'sheet connect' },
    el('h2', {}, 'Save your tabs as one link'),
    el(
      'p',
      {},
      'Connect the service that keeps your links. You can use it with an account, or without one where the service allows that.',
    ),
    el(
      'button',
      { type: 'button', class: 'primary', id: 'connect', onclick: () => openConnect(shown.place) },
      'Connect a service',
    ),
  )
}

function sourcesView(): HTMLElement {
  const { choices, draft } = shown
  const labels = choices.map(({ source, label, tabs }) => {
    const isChosen = source.kind === draft.source.kind
    const radio = el('input', {
      type: 'radio',
      name: 'source',
      id: `source-${source.kind}`,
      class: 'visually-hidden',
      checked: isChosen,
      disabled: isLocked(draft),
      onchange: () => choose(source),
    })
    const number = tabs !== null && el('span', { class: 'count' }, String(tabs))
    return el('label', { class: isChosen ? 'current' : null }, radio, `${label} `, number)
  })
  const only = { type: 'radio', name: 'source', class: 'visually-hidden', id: 'source-link', checked: true }
  const link = draft.source.kind === 'link' && el('label', { class: 'current' }, el('input', only), 'Link')
  return el(
    'fieldset',
    { class: 'tabbar' },
    el('legend', { class: 'visually-hidden' }, 'What to save'),
    link,
    ...labels,
  )
}

function sheetView(): HTMLElement {
  const { draft, ask } = shown
  if (ask !== null) return el('div', { class: 'sheet' }, askView(ask))
  const locked = isLocked(draft)
  const field: HTMLInputElement = el('input', {
    id: 'title',
    class: 'name',
    value: draft.title,
    maxlength: BOUNDS.title,
    'aria-label': 'Title',
    placeholder: 'Name your links',
    dir: 'auto',
    autocomplete: 'off',
    disabled: locked,
    oninput: () => edit({ title: field.value }),
  })
  const rows = listView({ draft, isLocked: locked, change: changeLink })
  const isFolder = draft.source.kind === 'folder'
  return el(
    'div',
    { class: 'sheet' },
    isFolder && foldersView(locked),
    draft.target === null && draft.links.length > 0 && field,
    ...rows,
    rows.length === 0 && !isFolder && el('p', { class: 'empty' }, 'No tab here has an address to save.'),
  )
}

function foldersView(locked: boolean): HTMLElement {
  const { folders, draft } = shown
  const select: HTMLSelectElement = el(
    'select',
    { id: 'folder', disabled: locked, onchange: () => choose({ kind: 'folder', id: select.value }) },
    el('option', { value: '', disabled: true, selected: draft.source.id === '' }, 'Choose a folder'),
    ...folders.map(({ id, path, bookmarks }) =>
      el('option', { value: id, selected: id === draft.source.id }, `${path} (${bookmarks})`),
    ),
  )
  return el('div', { class: 'folder' }, el('label', { for: 'folder' }, 'Folder'), select)
}

function askView({ permissions, reason }: Ask): HTMLElement {
  const { isRefused } = shown
  const allow = async () => {
    // First of all: browsers refuse it later.
    const isGiven = await chrome.permissions.request({ permissions })
    if (!isGiven) return show({ isRefused: true }, 'allow')
    shown = { ...shown, place: await readPlace(shown.place.windowId) }
    await choose(shown.draft.source, 'save')
  }
  return el(
    'div',
    { class: 'ask' },
    el('p', { id: 'reason' }, reason),
    isRefused &&
      el('p', { class: 'error', role: 'alert' }, 'The browser did not allow it. A single tab can be saved without.'),
    el(
      'button',
      { type: 'button', class: 'primary', id: 'allow', 'aria-describedby': 'reason', onclick: allow },
      'Allow',
    ),
  )
}

/** Shows something else, and moves the focus there. */
function show(fields: Partial<Shown>, focus?: string): void {
  shown = { ...shown, ...fields }
  draw()
  if (focus !== undefined) document.getElementById(focus)?.focus()
}

/** Changes the draft, and stores it. */
function edit(fields: Partial<Draft>): void {
  shown = { ...shown, draft: { ...shown.draft, ...fields, isEdited: true } }
  void keepDraft(shown.draft)
}

function changeLink(at: number, fields: Partial<Draft['links'][number]>, isDrawn: boolean): void {
  edit({ links: shown.draft.links.map((link, index) => (index === at ? { ...link, ...fields } : link)) })
  if (isDrawn) draw()
}

function keepFirst(): void {
  const wanted = new Set(keptLinks(shown.draft).slice(0, BOUNDS.urls))
  edit({ links: shown.draft.links.map((link) => ({ ...link, isRemoved: !wanted.has(link) })) })
  show({}, 'save')
}

/** Lists another source. A link in both keeps its typed title, or stays removed. */
async function choose(source: Source, focus?: string): Promise<void> {
  const before = shown.draft
  await dropDraft(before.key)
  const next = await chosenSource(source, shown.place, shown.all)
  const known = new Map(before.links.map((link) => [link.url, link]))
  const links = next.draft.links.map((link) => {
    const { title = link.title, isRemoved = false } = known.get(link.url) ?? {}
    return { ...link, title, isRemoved }
  })
  shown = { ...shown, ...next, draft: { ...next.draft, links, target: before.target }, isOld: false }
  if (before.isEdited && links.length > 0) edit({})
  show({}, focus)
}

async function startOver(): Promise<void> {
  await dropDraft(shown.draft.key)
  shown = await begin()
  show({}, 'save')
}

async function chooseService(origin: string): Promise<void> {
  await chooseInstance(origin)
  const instance = shown.all.find((one) => one.origin === origin) ?? null
  show({ instance, draft: { ...shown.draft, target: null } }, 'service')
}

async function save(instance: Instance): Promise<void> {
  // Begun in the press: browsers let nobody copy later. The text follows.
  let copy: (text: string | null) => void = () => {}
  const text = new Promise<string | null>((resolve) => (copy = resolve))
  const copying = copyLater(text)
  const { draft } = shown
  // A draft that may have arrived is asked for again where it was sent.
  const origin = draft.isUnsure ? (draft.origin ?? instance.origin) : instance.origin
  edit({ state: 'saving', origin, trouble: null })
  draw()
  await keepDraft(shown.draft)
  await send()
  const { state, made } = shown.draft
  copy(state === 'saved' ? made.map(({ url }) => url).join('\n') : null)
  if (state === 'saved') show({ isCopied: await copying }, 'saved')
}

function copyLater(text: Promise<string | null>): Promise<boolean> {
  const blob = text.then((written) => {
    if (written === null) throw new Error('nothing to copy')
    return new Blob([written], { type: 'text/plain' })
  })
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]).then(
    () => true,
    () => false,
  )
}

/** Has the worker save the draft, and shows what became of it. */
async function send(): Promise<void> {
  const { key } = shown.draft
  const message: SaveMessage = { type: 'save', key }
  await chrome.runtime.sendMessage(message).catch(() => {})
  const draft = (await readDrafts()).find((one) => one.key === key)
  if (draft?.state === 'saving') {
    const trouble = { message: 'The save was interrupted. Save again: nothing is saved twice.', isSignedOut: false }
    await changeDraft(key, { state: 'open', isUnsure: true, trouble })
  }
  // The same news may be being taken over just now: whoever saves goes on with what it says.
  await inTurn('popup', takeOver)
}

/** Takes over what the worker has stored: what became of a save, or a link from a menu. */
async function takeOver(): Promise<void> {
  const drafts = await readDrafts()
  const last = drafts.at(-1)
  const same = drafts.find(({ key }) => key === shown.draft.key)
  const { state, made, trouble } = shown.draft
  if (
    same !== undefined &&
    (same.state !== state || same.made.length !== made.length || same.trouble?.message !== trouble?.message)
  ) {
    if (same.state === 'saved') await dropDraft(same.key)
    show({ draft: same, unclaimed: await readUnclaimed() }, same.state === 'saved' ? 'saved' : undefined)
  } else if (last !== undefined && last.source.kind === 'link' && last.key !== shown.draft.key && !last.isEdited) {
    const draft = await shownOnce(last, shown.instance)
    show({ view: 'list', draft, ask: null, isOld: false })
  }
}
