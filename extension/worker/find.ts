import { type ListedBundle, OpenallError } from '../../src/sdk/openall.ts'
import { isFirefox } from '../parts/browser.ts'
import { clientOf } from '../parts/connection.ts'
import { type Instance, readInstances } from '../parts/instances.ts'
import { letOpen } from './openings.ts'

// `oa` in the address bar finds bundles by words. Enter opens all tabs of the first one, or of the chosen suggestion. What was
// found is in memory until Enter, and nowhere else.

type Disposition = `${chrome.omnibox.OnInputEnteredDisposition}`
type Suggest = (suggestions: chrome.omnibox.SuggestResult[]) => void

/** What one text found: bundles, or why none. */
interface Found {
  text: string
  bundles: ListedBundle[]
  /** Shown in place of bundles. */
  says: string | null
  /** Whether Enter leads to the page where one connects. */
  leadsToOptions: boolean
}

const HINT = 'Type words to find one of your bundles'
/** Waits for a pause in typing. */
const PAUSE_MS = 150
const MAX_HITS = 5
const MAX_TITLE = 80

const OPTIONS = chrome.runtime.getURL('options.html')

let typed = ''
let last: Found | null = null
let running: { ended: Promise<Found>; stop: AbortController } | null = null

chrome.omnibox.onInputStarted.addListener(() => say(HINT))
chrome.omnibox.onInputChanged.addListener((text, suggest) => change(text.trim(), suggest))
chrome.omnibox.onInputEntered.addListener((text, disposition) => enter(text.trim(), disposition))
chrome.omnibox.onInputCancelled.addListener(forget)

async function change(text: string, suggest: Suggest): Promise<void> {
  typed = text
  if (text === '') return say(HINT)
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  if (typed !== text) return
  const found = await find(text)
  // Somebody has typed on meanwhile.
  if (typed !== text) return
  last = found
  const { bundles, says, leadsToOptions } = found
  const rows = bundles.map((bundle) => ({ content: bundle.url, description: written(`Open all: ${wordsOf(bundle)}`) }))
  if (isFirefox()) {
    // Its first row stays as it was when the words were typed.
    if (says === null) suggest(rows)
    else suggest([{ content: leadsToOptions ? OPTIONS : text, description: written(says) }])
    return
  }
  const [first, ...others] = rows
  // Chromium reads the first row's XML elsewhere, and shows none that comes after the others.
  await chrome.omnibox.setDefaultSuggestion({ description: first?.description ?? written(says ?? '') })
  suggest(others)
}

async function enter(text: string, disposition: Disposition): Promise<void> {
  const instance = (await readInstances()).chosen
  const known = last?.text === text ? last : null
  forget()
  // The content of a suggestion is the address of its launcher.
  if (instance !== null && isLauncher(text, instance)) return openLauncher(text, disposition)
  const found = text === OPTIONS ? null : (known ?? (await find(text)))
  if (found === null || found.leadsToOptions) return chrome.runtime.openOptionsPage()
  const [first] = found.bundles
  if (first !== undefined) await openLauncher(first.url, disposition)
}

function forget(): void {
  typed = ''
  last = null
  running?.stop.abort()
}

/** Finds bundles. One request at a time: the one before is aborted first. */
async function find(text: string): Promise<Found> {
  while (running !== null) {
    running.stop.abort()
    await running.ended
  }
  const stop = new AbortController()
  const ended = ask(text, stop.signal).finally(() => {
    running = null
  })
  running = { ended, stop }
  return ended
}

async function ask(text: string, signal: AbortSignal): Promise<Found> {
  const instance = (await readInstances()).chosen
  const nothing = { text, bundles: [] }
  const leads = (says: string): Found => ({ ...nothing, says, leadsToOptions: true })
  if (instance === null) return leads('Connect Openall to your service first: press Enter')
  if (instance.account === null) return leads(`Sign in to ${instance.name} to find your bundles: press Enter`)
  try {
    const { bundles } = await clientOf(instance).listBundles({ q: text, limit: MAX_HITS }, { signal, retries: 0 })
    // It opens nothing but its own launchers.
    const own = bundles.filter(({ url }) => isLauncher(url, instance))
    const says = own.length === 0 ? `No bundle in ${instance.name} has these words` : null
    return { ...nothing, bundles: own, says, leadsToOptions: false }
  } catch (error) {
    if (!(error instanceof OpenallError)) throw error
    if (error.code === 'UNAUTHORIZED') return leads(`Sign in again to ${instance.name}: press Enter`)
    return { ...nothing, says: error.message, leadsToOptions: false }
  }
}

async function openLauncher(url: string, disposition: Disposition): Promise<void> {
  const isCurrent = disposition === 'currentTab'
  const tab = isCurrent
    ? await chrome.tabs.update({ url })
    : await chrome.tabs.create({ url, active: disposition === 'newForegroundTab' })
  if (tab?.id !== undefined) await letOpen(tab.id, url)
}

function isLauncher(text: string, { origin }: Instance): boolean {
  return URL.canParse(text) && new URL(text).origin === origin
}

function wordsOf({ title, slug, urls }: ListedBundle): string {
  const name = title === null ? slug : title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title
  return `${name} (${urls.length === 1 ? '1 link' : `${urls.length} links`})`
}

/** Says something in the first row, where Enter is. */
async function say(words: string): Promise<void> {
  await chrome.omnibox.setDefaultSuggestion({ description: written(words) })
}

/** A text as the browser wants it. */
function written(words: string): string {
  const line = words.toWellFormed().replace(/[\p{Cc}\uFFFE\uFFFF\s]+/gu, ' ')
  // Chromium reads it as XML.
  if (isFirefox()) return line
  return line.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
