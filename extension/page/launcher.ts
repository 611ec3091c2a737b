import { randomId } from '../../src/core/random-id.ts'
import {
  type Asked,
  type AskedTab,
  type PageRequest,
  type Progress,
  requestIn,
  type Taken,
  VERSION,
  type Welcome,
} from '../parts/handover.ts'
import { isPressed, watchPresses } from './presses.ts'

// Runs on the pages of connected instances alone, in the document of a tab: worker.ts registers it.

/** How often it asks how far the tabs are. */
const EVERY_MS = 400
/** Questions without an answer after which the extension is gone: it was switched off, or updated. */
const MOST_UNANSWERED = 25

/** How often it asks a worker that ends before it has answered. */
const MOST_ASKED = 5

/** Whether tabs of this page are being opened: one opening at a time. */
let isBusy = false
/** Whether the next request needs no press, because the user lets this instance open its tabs at once. */
let isGiven = false

void start()

async function start(): Promise<void> {
  const isOurs = document.querySelector('main[data-slug] #open, main button[data-slug]') !== null
  if (window.top !== window || !isOurs) return
  // Before anything that the page could notice: the browser runs this on all ports of an instance's host.
  const welcome = await ask<Welcome>({ type: 'handover:hello' })
  // It also comes to pages that are open while their instance is connected, of which some have it.
  const here = window as Window & { isOpenallHere?: true }
  if (!welcome || here.isOpenallHere) return
  here.isOpenallHere = true
  watchPresses()
  window.addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== window || origin !== location.origin) return
    if (isReady(data) && welcome.opensAtOnce) {
      welcome.opensAtOnce = false
      openAtOnce()
    }
    const request = requestIn(data)
    if (request !== null) void handOver(request)
  })
  document.documentElement.dataset.openall = String(VERSION)
  document.dispatchEvent(new Event('openall'))
}

/** Whether the page says that it can hand over. */
const isReady = (data: unknown) =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'openall:ready'

async function handOver(request: PageRequest): Promise<void> {
  const { slug } = request
  const isWanted = isPressed(slug) || isGiven
  isGiven = false
  const tabs = isWanted && !isBusy ? tabsOf(request) : null
  if (tabs === null) {
    say('refused', slug)
    return
  }
  isBusy = true
  say('taken', slug)
  try {
    const id = randomId()
    let taken: Taken | undefined
    for (let turn = 0; turn < MOST_ASKED && !taken; turn += 1)
      taken = await ask({ type: 'handover:open', id, slug, ...tabs })
    if (taken?.isTaken) await follow(id, slug)
    else say('refused', slug)
  } finally {
    isBusy = false
  }
}

/** Tells the page how far the tabs are, until all are there. */
async function follow(id: string, slug: string): Promise<void> {
  let said = ''
  for (let unanswered = 0; unanswered < MOST_UNANSWERED; ) {
    // A worker that has ended starts for this, and goes on.
    const progress = await ask<Progress>({ type: 'handover:progress', id })
    if (progress === null) break
    if (progress === undefined) unanswered += 1
    else {
      unanswered = 0
      const now = JSON.stringify(progress)
      if (now !== said) say('progress', slug, progress)
      said = now
      if (progress.isDone) return
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  say('refused', slug)
}

/**
 * What the worker is told of the tabs in a request; null if they are not those of the page: on a launcher, those that its list
 * shows, in that order. Those of a row of a start page are compared with its launcher by the worker.
 */
function tabsOf({ slug, tabs }: PageRequest): { title: string; isRow: boolean; tabs: AskedTab[] } | null {
  const main = document.querySelector<HTMLElement>('main[data-slug]')
  if (main === null) {
    const isRow = document.querySelector(`main button[data-slug="${CSS.escape(slug)}"]`) !== null
    // The worker asks the launcher for its title.
    return isRow ? { title: slug, isRow, tabs: tabs.map((url) => ({ url, section: '' })) } : null
  }
  if (main.dataset.slug !== slug) return null
  const shown = [...main.querySelectorAll<HTMLAnchorElement>('a.tab[data-open="auto"]')]
  let from = 0
  const asked = tabs.flatMap((url) => {
    const at = shown.findIndex(({ href }, place) => place >= from && href === url)
    if (at === -1) return []
    from = at + 1
    return [{ url, section: shown[at]?.closest('section')?.querySelector('h2')?.textContent.trim() ?? '' }]
  })
  if (asked.length !== tabs.length) return null
  return { title: main.querySelector('h1')?.textContent.trim() ?? slug, isRow: false, tabs: asked }
}

/** Presses Open all for a user who allowed this: once, on a launcher that was led to and is seen. */
function openAtOnce(): void {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const open = document.querySelector<HTMLElement>('main[data-slug] #open')
  // A launcher that was begun already is going on.
  const isBegun = (history.state as { isBegun?: boolean } | null)?.isBegun === true
  if (open === null || open.hidden || isBegun || entry?.type !== 'navigate') return
  const press = () => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', press)
    isGiven = true
    open.click()
    setTimeout(() => {
      isGiven = false
    }, 1000)
  }
  document.addEventListener('visibilitychange', press)
  press()
}

/** Answers the page. */
function say(what: 'taken' | 'refused' | 'progress', slug: string, fields: object = {}): void {
  window.postMessage({ type: `openall:${what}`, version: VERSION, slug, ...fields }, location.origin)
}

/** Asks the worker. @returns undefined if it has ended meanwhile. */
async function ask<Answer>(asked: Asked): Promise<Answer | undefined> {
  try {
    return await chrome.runtime.sendMessage(asked)
  } catch {
    return undefined
  }
}
