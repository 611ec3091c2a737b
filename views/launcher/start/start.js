// @ts-check

import { awaitExtension, isTaken } from '../parts/later.js'
import { tell } from '../parts/opens.js'
import { openWindow, watch } from '../parts/windows.js'

const search = /** @type {HTMLInputElement} */ (document.getElementById('q'))
const live = /** @type {HTMLElement} */ (document.getElementById('live'))
const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-slug]'))

/** A link of a bundle. @typedef {{ url: string, openPolicy: string }} Tab */

/** The tabs of each bundle that was pointed at, once they are known. @type {Map<string, Tab[]>} */
const known = new Map()
/** Bundles whose tabs are being asked for. @type {Set<string>} */
const asked = new Set()

/** @param {HTMLElement} row */
const linkOf = (row) => /** @type {HTMLAnchorElement} */ (row.querySelector('.name'))

/** Asks for the tabs before the press: a browser opens windows only during it. @param {string} slug @param {HTMLElement} row */
const ask = async (slug, row) => {
  if (known.has(slug) || asked.has(slug)) return
  asked.add(slug)
  try {
    const answer = await fetch(`${linkOf(row).href}.json`)
    if (answer.ok) known.set(slug, (await answer.json()).tabs)
  } finally {
    asked.delete(slug)
  }
}

/** Says on a row what its press did. @param {HTMLElement} row @param {string} text @param {boolean} [isBad] */
const say = (row, text, isBad = false) => {
  const said = row.querySelector('.said') ?? document.createElement('a')
  said.className = isBad ? 'said bad' : 'said'
  if (isBad) said.setAttribute('href', linkOf(row).href)
  else said.removeAttribute('href')
  said.textContent = text
  row.append(said)
  live.textContent = text
}

/** Opens all tabs of a row’s bundle. @param {HTMLElement} row */
const openAll = (row) => {
  const slug = /** @type {HTMLElement | null} */ (row.querySelector('button[data-slug]'))?.dataset.slug
  const tabs = slug === undefined ? undefined : known.get(slug)?.filter(({ openPolicy }) => openPolicy !== 'manual')
  // Before its tabs are known, and where its page asks for something, the page itself opens them.
  if (slug === undefined || tabs === undefined || tabs.length === 0) {
    location.href = linkOf(row).href
    return
  }
  openTabs(row, slug, tabs)
}

/** Reports opened tabs. @param {string} slug @param {string[]} urls */
const report = (slug, urls) => {
  if (urls.length > 0) tell({ kind: 'open_tabs', urls: [...new Set(urls)] }, slug)
  tell({ kind: 'open_all', matchedRuleId: null, isView: true }, slug)
}

/** @param {number} count */
const opened = (count) => (count === 1 ? 'Opened' : `Opened ${count}`)

/** Opens the tabs of a row. @param {HTMLElement} row @param {string} slug @param {Tab[]} tabs */
const openTabs = (row, slug, tabs) => {
  if (isHandedOver(row, slug, tabs)) return
  const views = tabs.map(({ url }) => ({
    url,
    view: openWindow(Object.assign(document.createElement('a'), { href: url })),
  }))
  const seen = views.flatMap(({ url, view }) => (typeof view === 'string' ? [] : [{ url, isClosed: watch(view) }]))
  const settle = () => {
    removeEventListener('pagehide', settle)
    clearTimeout(timer)
    const urls = seen.filter(({ isClosed }) => !isClosed()).map(({ url }) => url)
    if (urls.length > 0) report(slug, urls)
    if (urls.length === tabs.length) say(row, opened(urls.length))
    else say(row, `${tabs.length - urls.length} of ${tabs.length} blocked. Open its page`, true)
  }
  addEventListener('pagehide', settle)
  // Blockers close tabs within a tenth of a second.
  const timer = setTimeout(settle, 1000)
}

/** Whether the extension opens the tabs of a row. @param {HTMLElement} row @param {string} slug @param {Tab[]} tabs */
const isHandedOver = (row, slug, tabs) => {
  /** @type {string[]} */
  const urls = []
  let [count, isBegun] = [0, false]
  return isTaken({
    slug,
    urls: tabs.map(({ url }) => url),
    begin: () => (isBegun = true),
    opened(at, isNew) {
      count += 1
      if (isNew) urls.push(/** @type {Tab} */ (tabs[at]).url)
    },
    say: (text) => say(row, text),
    end() {
      if (isBegun) report(slug, urls)
      if (count < tabs.length) say(row, `${count} of ${tabs.length} opened. Open its page`, true)
      else say(row, opened(urls.length))
    },
    openHere: () => openTabs(row, slug, tabs),
  })
}

for (const button of buttons) {
  const row = /** @type {HTMLElement} */ (button.closest('li'))
  button.classList.remove('waiting')
  for (const kind of ['pointerenter', 'focusin', 'touchstart'])
    row.addEventListener(kind, () => ask(String(button.dataset.slug), row), { passive: true })
  button.addEventListener('click', () => openAll(row))
}

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey) return
  if (target === search) {
    if (key === 'Escape') search.blur()
    return
  }
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('main li')])
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  if (key === '/') {
    event.preventDefault()
    search.focus()
    search.select()
  } else if (key === 'j' || key === 'k') {
    const next = rows[at === -1 ? (key === 'j' ? 0 : rows.length - 1) : at + (key === 'j' ? 1 : -1)]
    if (next) linkOf(next).focus()
  } else if (key === 'o' && at !== -1) openAll(/** @type {HTMLElement} */ (rows[at]))
})

// After a search, Enter opens the first hit, and `o` its tabs.
const first = /** @type {HTMLElement | null} */ (document.querySelector('main li'))
if (search.value !== '' && first !== null) linkOf(first).focus()

awaitExtension()
