import { BOUNDS } from '../../src/bundles/content/content.ts'
import { randomId } from '../../src/core/random-id.ts'
import { clip, onOneLine } from '../../src/imports/clean.ts'
import { splitList } from '../../src/imports/split.ts'
import type { Link, TabList } from './tab-list.ts'
import { inTurn } from './turns.ts'

/** What a list is made from. */
export type Source =
  | { kind: 'window' | 'selected'; id: number }
  | { kind: 'group' | 'folder'; id: string }
  | { kind: 'link'; id: string }

/** A bundle that a save has made, or added to. */
export interface Made {
  slug: string
  url: string
  title: string
  /** Where it is edited: its page in the dashboard, or the private link of one without an account; null for none. */
  editUrl: string | null
  /** Whether the address is the private one. */
  isPrivate: boolean
}

/** An existing bundle that gets the links. */
export interface Target {
  slug: string
  title: string
  /** How many links it had when it was chosen; null if that is not known. */
  links: number | null
}

/** A list before it is saved, with all of its edits. */
export interface Draft extends TabList {
  /** Identifies it, and is its idempotency key: a repeated save makes nothing twice. */
  key: string
  source: Source
  title: string
  /** Whether its user has changed anything. */
  isEdited: boolean
  /** Null for a new bundle. */
  target: Target | null
  state: 'open' | 'saving' | 'saved'
  /** The instance of the last attempt to save it; null for none. */
  origin: string | null
  /** Whether an attempt ended without an answer. Then only the same list may be sent again. */
  isUnsure: boolean
  /** Why the last attempt failed. */
  trouble: Trouble | null
  made: Made[]
}

export interface Trouble {
  message: string
  /** Whether connecting again helps. */
  isSignedOut: boolean
}

export function newDraft(source: Source, list: TabList, title: string): Draft {
  return {
    ...list,
    key: randomId(),
    source,
    title: clip(title, BOUNDS.title),
    isEdited: false,
    target: null,
    state: 'open',
    origin: null,
    isUnsure: false,
    trouble: null,
    made: [],
  }
}

/** The links that are to be saved. */
export function keptLinks({ links }: Pick<Draft, 'links'>): Link[] {
  return links.filter(({ isRemoved }) => !isRemoved)
}

/** The bundles that a draft makes, as the service splits a long list. */
export function bundlesOf(draft: Draft) {
  const texts = { description: null, opensAt: null, closesAt: null, closedNote: null }
  const links = keptLinks(draft).map((link) => ({ line: 0, url: link.url, metadata: metadataOf(link) }))
  const counts = { skipped: 0, changed: 0, duplicates: 0 }
  const title = clip(onOneLine(draft.title), BOUNDS.title) || null
  return splitList({ ...texts, title, links, format: 'list', skipped: [], changed: [], counts }).map((part) => ({
    title: part.title,
    urls: part.links.map(({ url }) => url),
    urlMetadata: part.links.map(({ metadata }) => metadata),
    // Braces in the address of a tab are text.
    variables: [],
  }))
}

/** The metadata of a link, without empty fields. */
export function metadataOf({ title, section }: Link): { note?: string; section?: string } {
  const note = clip(onOneLine(title), BOUNDS.note)
  return { ...(note === '' ? {} : { note }), ...(section === '' ? {} : { section }) }
}

// Drafts are in `storage.session`, so that neither a closed popup nor an ended worker loses one. The last one is shown first.

const NAME = 'drafts'
const MAX_DRAFTS = 5

/** The drafts that are not finished, the newest last. */
export async function readDrafts(): Promise<Draft[]> {
  const { [NAME]: drafts = [] } = await chrome.storage.session.get<Record<string, Draft[]>>(NAME)
  return drafts
}

/** Stores a draft as the newest, or changed in its place. */
export async function keepDraft(draft: Draft): Promise<void> {
  await changeDrafts((drafts) =>
    drafts.some(({ key }) => key === draft.key)
      ? drafts.map((one) => (one.key === draft.key ? draft : one))
      : [...drafts, draft].slice(-MAX_DRAFTS),
  )
}

/** Changes fields of a stored draft; one that was dropped meanwhile stays so. */
export async function changeDraft(key: string, fields: Partial<Draft>): Promise<void> {
  await changeDrafts((drafts) => drafts.map((one) => (one.key === key ? { ...one, ...fields } : one)))
}

export async function dropDraft(key: string): Promise<void> {
  await changeDrafts((drafts) => drafts.filter((one) => one.key !== key))
}

/** Calls back when drafts change, in this context or another. */
export function onDrafts(changed: () => void): void {
  chrome.storage.session.onChanged.addListener((changes) => {
    if (NAME in changes) changed()
  })
}

function changeDrafts(to: (before: Draft[]) => Draft[]): Promise<void> {
  return inTurn(NAME, async () => chrome.storage.session.set({ [NAME]: to(await readDrafts()) }))
}
