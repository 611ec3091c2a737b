// @ts-check

import { offerActions } from './actions.js'
import { announce } from './announce.js'
import { buttonOf, createBlocked } from './blocked.js'
import { howToBookmark, isAppWindow, opensByItself } from './browser.js'
import { awaitExtension, isTaken } from './later.js'
import { marksOf } from './marks.js'
import { countOpened, tell, tellOpened } from './opens.js'
import { isOpenReplaced, openWindow, watch } from './windows.js'

/** @typedef {import('./browser.js').Refusal} Refusal */

// Until a script has run, its controls link to the list, where a sentence says so. From here on they are buttons.
for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[href="#links"]'))) {
  const button = document.createElement('button')
  button.type = 'button'
  for (const { name, value } of link.attributes) if (name !== 'href') button.setAttribute(name, value)
  button.append(...link.childNodes)
  const isFocused = document.activeElement === link
  link.replaceWith(button)
  if (isFocused) button.focus()
}

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const open = /** @type {HTMLButtonElement} */ (byId('open'))
const bar = /** @type {HTMLElement} */ (open.parentElement)
const status = byId('status')
const all = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a.tab')])
const tabs = all.filter((tab) => tab.dataset.open === 'auto')
const marks = marksOf(all)

/** @type {Set<HTMLAnchorElement>} */
const opened = new Set()
/** Whether Open all was pressed. */
let isBegun = false
/** Whether the progress was restored after a reload. */
let isRestored = false
/** Consecutive presses after which no tab stayed open. */
let refusals = 0
/** Why the latest refused tab did not open. @type {Refusal} */
let why = 'browser'
/** Whether a script has replaced `window.open`, so that its result may not be a real tab. */
let isUnsure = false
/** Whether the explanation of blocked tabs was seen; a phone shows it once. */
let isTold = false
/** Whether a press on Open all has opened nothing yet, and is not counted yet. */
let isOwed = false
/** The pending steps of presses whose tabs may still be closed again. @type {Set<() => void>} */
const unsettled = new Set()
/** The tabs that the last press should open: all, or those of a section. */
let wanted = tabs
const [label, summary, number] = [open.textContent, status.textContent, open.dataset.count]
const waiting = () => wanted.filter((tab) => !opened.has(tab))
const parts = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll('.part')]).map((button) => {
  const section = /** @type {HTMLElement} */ (button.parentElement)
  return { button, title: section.querySelector('h2'), own: tabs.filter((tab) => section.contains(tab)) }
})

const isPhone = matchMedia('(max-width: 40rem)')
const footer = /** @type {HTMLElement} */ (main.querySelector('footer'))
const ownCopy = document.getElementById('own-copy')
const extension = document.getElementById('extension')
if (extension !== null) extension.hidden = false
extension?.remove()
const { blocked, rest, close, explain } = createBlocked(extension)
const again = buttonOf('again', 'quiet')
again.hidden = true
// On a separate line, so that elements that appear after opening move no button away from the pointer.
const line = document.createElement('div')
line.className = 'line'
status.before(line)
line.append(status, again)
line.after(blocked)
const mark = buttonOf('mark', 'quiet')
mark.textContent = 'Bookmark this page'
mark.addEventListener('click', () => {
  mark.textContent = status.textContent = howToBookmark()
})

/** @param {HTMLAnchorElement} tab @param {number} place the position among the tabs that are ticked in turn. */
const tick = (tab, place = 0) => {
  if (opened.has(tab)) return
  opened.add(tab)
  marks.tick(tab, place)
}

/** @param {HTMLAnchorElement[]} some */
const untick = (some) => {
  for (const tab of some) {
    opened.delete(tab)
    marks.untick(tab)
  }
}

/** Saves the progress for a reload, or for a tab that the browser had unloaded. */
const keep = () => {
  const hrefs = [...opened].map((tab) => tab.href)
  const part = parts.findIndex(({ own }) => own === wanted)
  history.replaceState({ opened: hrefs, isBegun, refusals, why, isUnsure, isTold, part }, '')
}

/** Counts the press on Open all, if it is not counted yet. */
const tellPress = () => {
  if (isOwed) tell({ kind: 'open_all', matchedRuleId: main.dataset.rule || null })
  isOwed = false
}

/** Whether the extension opens all tabs that are wanted. @param {HTMLAnchorElement[]} some @param {boolean} isClick */
const isHandedOver = (some, isClick) => {
  const left = waiting()
  return isTaken({
    slug: main.dataset.slug,
    urls: left.map(({ href }) => href),
    begin() {
      isOwed ||= isClick
      tellPress()
    },
    opened(at, isNew) {
      const tab = /** @type {HTMLAnchorElement} */ (left[at])
      if (isNew) countOpened(tab)
      tick(tab)
      keep()
    },
    say: announce,
    end: show,
    openHere: () => openTabs(some, isClick),
  })
}

/**
 * Opens tabs during the click, because browsers block them later.
 * @param {HTMLAnchorElement[]} some
 * @param {boolean} [isClick] whether it counts as a click on Open all.
 */
const openTabs = (some, isClick = false) => {
  if (isHandedOver(some, isClick)) return
  const before = refusals
  /** @type {[tab: HTMLAnchorElement, isClosed: () => boolean][]} */
  const views = []
  for (const [place, tab] of some.entries()) {
    const view = openWindow(tab)
    if (typeof view === 'string') {
      why = view
      // Such a window may show the requested page in place of this one: the first, not the last.
      if (isAppWindow) break
      continue
    }
    views.push([tab, watch(view)])
    tick(tab, place)
  }
  isUnsure = isOpenReplaced()
  refusals = views.length > 0 ? 0 : some.length > 0 ? before + 1 : before
  show()

  const settle = () => {
    if (!unsettled.delete(settle)) return
    const closed = views.flatMap(([tab, isClosed]) => (isClosed() ? [tab] : []))
    const stay = views.filter(([tab]) => !closed.includes(tab))
    for (const [tab] of stay) countOpened(tab)
    tellOpened()
    isOwed ||= isClick && some.length > 0
    if (stay.length > 0) tellPress()
    if (closed.length === 0) return
    untick(closed)
    why = 'closed'
    if (stay.length === 0) refusals = before + 1
    show()
  }
  unsettled.add(settle)
  // Blockers close tabs within a tenth of a second.
  setTimeout(settle, 1000)
}
addEventListener('pagehide', () => {
  for (const settle of unsettled) settle()
})

/** @param {string | null} text @param {string} [count] how many tabs it opens, or which of them. */
const labelOpen = (text, count) => {
  open.textContent = text
  if (count) open.dataset.count = count
  else delete open.dataset.count
}

/** Shows on each section's button how many tabs it opens. */
const showParts = () => {
  for (const { button, title, own } of parts) {
    const left = own.filter((tab) => !opened.has(tab)).length
    button.textContent = left === 0 ? 'Opened' : `Open ${left}`
    button.setAttribute('aria-label', `${button.textContent}: ${title?.textContent}`)
    button.setAttribute('aria-disabled', String(left === 0))
  }
}

/** The reason why tabs are not open. @param {boolean} isSome whether others are open. */
const reasonOf = (isSome) => {
  if (why === 'closed')
    return `The${isSome ? ' other' : ''} tabs were closed at once, by a blocker or because they are downloads`
  const what = isSome ? 'the rest' : 'them'
  if (why === 'blocker') return `A blocker in your browser stopped ${what}`
  return `${isAppWindow ? 'This window' : 'Your browser'} blocked ${what}`
}
const manual = all.length - tabs.length

/** On phones, tabs that are blocked leave only the button in the bar. @param {boolean} isBlocked */
const showBar = (isBlocked) => {
  bar.classList.toggle('lone', isBlocked)
  bar.classList.toggle('asks', isBlocked && !isTold)
  if (isBlocked && isTold && isPhone.matches) {
    status.className = 'visually-hidden'
    footer.before(rest, again)
  } else line.append(again)
}

/** What may follow once all tabs are open. @param {boolean} isDone */
const showNext = (isDone) => {
  if (isDone && main.dataset.slug) line.append(isAppWindow ? '' : mark, ownCopy ?? '', extension ?? '')
  else {
    mark.remove()
    extension?.remove()
    footer.append(ownCopy ?? '')
  }
}
const show = () => {
  keep()
  if (!isBegun) return
  showParts()
  const left = waiting()
  const done = wanted.length - left.length
  const isDone = left.length === 0
  const others = tabs.filter((tab) => !opened.has(tab)).length
  left[0]?.closest('details')?.setAttribute('open', '')
  marks.point(left[0])
  open.classList.toggle('done', others === 0)
  open.classList.toggle('unsure', isUnsure)
  open.setAttribute('aria-disabled', String(others === 0))
  if (isDone) explain(null)
  showBar(false)
  showNext(others === 0 && !isUnsure)
  again.hidden = others > 0 && !isRestored
  again.textContent = others === 0 ? 'Open again' : 'Start over'
  if (isDone) {
    const isPart = others > 0
    const shown = isPart ? wanted : tabs
    const isOne = shown.length === 1
    const name = isPart ? ` in “${parts.find(({ own }) => own === wanted)?.title?.textContent}”` : ''
    const rest = isPart || manual === 0 ? '' : ` ${manual} to open manually.`
    if (isUnsure) {
      announce(`If nothing opened, a blocker stopped it: open ${isOne ? 'the link' : 'each link'} below.`)
    } else {
      const what = isOne ? `The tab${name} is` : `All ${shown.length} tabs${name} are`
      announce(`${what} open.${rest}`)
    }
    // The button then says the same.
    labelOpen(isPart ? `Open the other ${others}` : isUnsure ? 'Done' : status.textContent)
    if (!isPart && !isUnsure) status.className = 'visually-hidden'
    return
  }
  if (refusals > 1) {
    giveUp()
    return
  }
  const reason = isRestored ? 'Press' : `${reasonOf(done > 0)}: press`
  announce(`${done} of ${wanted.length} open. ${reason} “Open next” for each tab.`)
  labelOpen('Open next', `${done + 1} of ${wanted.length}`)
  explain(why)
  showBar(true)
  if (isPhone.matches) left[0]?.closest('li')?.scrollIntoView({ block: 'nearest' })
}

/** Some apps never give a page a window. Links in the same window still work there. */
const giveUp = () => {
  const isFocused = document.activeElement === open
  explain(null)
  open.hidden = again.hidden = true
  for (const tab of all) {
    // A script that replaced `window.open` leaves links alone.
    if (why !== 'blocker' || isAppWindow) tab.target = '_self'
    tab.closest('details')?.setAttribute('open', '')
  }
  for (const { button } of parts) button.hidden = true
  announce(
    why === 'browser' || isAppWindow
      ? 'This app can’t open new tabs. Open each link below, or copy them all into a browser.'
      : 'A blocker in your browser stops new tabs. Open each link below, or allow pop-ups for this page in the blocker and reload.',
  )
  if (isFocused) byId('copy').focus()
}

/** @param {HTMLAnchorElement[]} some */
const openAll = (some) => {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('form.ask'))
  // If the script that fills in the links has not loaded, the server fills them in.
  if (form !== null && some.some((tab) => tab.href === '')) {
    if (form.reportValidity()) form.submit()
    return
  }
  isBegun = true
  wanted = some
  openTabs(waiting(), true)
}

open.addEventListener('click', () => {
  // Once all are open, a second click must not reopen everything: that has a separate button.
  if (isBegun && waiting().length > 0) {
    isTold = true
    openTabs(waiting().slice(0, 1))
  } else openAll(tabs)
})

for (const { button, own } of parts) button.addEventListener('click', () => openAll(own))

again.addEventListener('click', () => {
  untick(tabs)
  isRestored = false
  openAll(tabs)
  if (again.hidden) open.focus()
})

// From fill.js: with other values, the tabs are different ones, none of which is open.
document.addEventListener('filled', () => {
  if (isBegun || opened.size > 0) {
    untick(all)
    wanted = tabs
    isBegun = isRestored = false
    keep()
    marks.point(undefined)
    explain(null)
    showBar(false)
    showNext(false)
    again.hidden = true
    open.classList.remove('done')
    open.removeAttribute('aria-disabled')
  }
  showParts()
  // Where no window ever opens, the message stays.
  if (open.hidden) return
  labelOpen(label, number)
  status.textContent = summary
  status.className = ''
})

close.addEventListener('click', () => {
  isTold = true
  show()
  open.focus()
})

rest.addEventListener('click', () => {
  if (opensByItself(why)) {
    for (const tab of waiting()) {
      countOpened(tab)
      tick(tab)
    }
    show()
  } else openTabs(waiting())
  open.focus()
})

/** @param {MouseEvent} event */
const follow = ({ button, currentTarget }) => {
  const tab = /** @type {HTMLAnchorElement} */ (currentTarget)
  // The right button opens a menu with an unknown choice. A link without its value leads nowhere.
  if (button > 1 || tab.href === '') return
  countOpened(tab)
  tick(tab)
  show()
}
for (const tab of all) {
  tab.addEventListener('click', follow)
  tab.addEventListener('auxclick', follow)
}

/** @type {{ opened: string[], isBegun: boolean, refusals: number, why: Refusal, isUnsure: boolean, isTold: boolean, part: number } | null} */
const kept = history.state
for (const href of kept?.opened ?? []) {
  const tab = all.find((tab) => tab.href === href && !opened.has(tab))
  if (tab) tick(tab)
}
byId('links').remove()
if (location.hash === '#links') {
  history.replaceState(kept, '', location.pathname + location.search)
  announce('The page has loaded now: press again.')
  // A followed link within the page has moved the focus to the list.
  open.focus()
}
if (kept?.isBegun) {
  isBegun = isRestored = true
  wanted = parts[kept.part]?.own ?? tabs
  refusals = kept.refusals
  why = kept.why
  isUnsure = kept.isUnsure
  isTold = kept.isTold
  show()
}

offerActions(all)
awaitExtension()
