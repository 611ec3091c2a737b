// @ts-check

{
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
  const main = /** @type {HTMLElement} */ (document.querySelector('main'))
  const open = /** @type {HTMLButtonElement} */ (byId('open'))
  const status = byId('status')
  const all = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a.tab')])
  const tabs = all.filter((tab) => tab.dataset.open === 'auto')
  const marks = marksOf(all)

  /** @type {Set<HTMLAnchorElement>} */
  const opened = new Set()
  /** Whether Open all was pressed. */
  let isBegun = false
  /** Whether the progress is from before a reload. */
  let isRestored = false
  /** Presses in a row for which the browser gave no window. */
  let refusals = 0
  /** The tabs that the last press was to open: all, or those of a section. */
  let wanted = tabs
  const [label, summary, number] = [open.textContent, status.textContent, open.dataset.count]
  const waiting = () => wanted.filter((tab) => !opened.has(tab))
  const parts = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll('.part')]).map((button) => {
    const section = /** @type {HTMLElement} */ (button.parentElement)
    return { button, title: section.querySelector('h2'), own: tabs.filter((tab) => section.contains(tab)) }
  })

  const { blocked, how, rest } = createBlocked()
  const again = document.createElement('button')
  again.id = 'again'
  again.type = 'button'
  again.className = 'quiet'
  again.hidden = true
  // A line of their own, so that what appears after opening moves no button away from under the pointer.
  const line = document.createElement('div')
  line.className = 'line'
  status.before(line)
  line.append(status, again)
  line.after(blocked)

  /** @param {HTMLAnchorElement} tab @param {number} place among those that are ticked one after another. */
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

  /** Keeps the progress where a reload, or a tab that the browser had unloaded, finds it again. */
  const keep = () => {
    const hrefs = [...opened].map((tab) => tab.href)
    history.replaceState({ opened: hrefs, isBegun, refusals, part: parts.findIndex(({ own }) => own === wanted) }, '')
  }

  /** Opens tabs during the click, because browsers block those that are opened later. @param {HTMLAnchorElement[]} some */
  const openTabs = (some) => {
    let isRefused = some.length > 0
    for (const [place, tab] of some.entries()) {
      if (openWindow(tab) === null) continue
      countOpened(tab)
      tick(tab, place)
      isRefused = false
    }
    refusals = isRefused ? refusals + 1 : 0
    show()
  }

  /** @param {string | null} text @param {string} [count] how many tabs that opens, or which of them. */
  const labelOpen = (text, count) => {
    open.textContent = text
    if (count) open.dataset.count = count
    else delete open.dataset.count
  }

  /** Says on each section's button how many tabs it opens. */
  const showParts = () => {
    for (const { button, title, own } of parts) {
      const left = own.filter((tab) => !opened.has(tab)).length
      button.textContent = left === 0 ? 'Opened' : `Open ${left}`
      button.setAttribute('aria-label', `${button.textContent}: ${title?.textContent}`)
      button.setAttribute('aria-disabled', String(left === 0))
    }
  }

  const manual = all.length - tabs.length
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
    open.setAttribute('aria-disabled', String(others === 0))
    blocked.hidden = isDone
    again.hidden = others > 0 && !isRestored
    again.textContent = others === 0 ? 'Open again' : 'Start over'
    if (isDone && others > 0) {
      const name = parts.find(({ own }) => own === wanted)?.title?.textContent
      announce(
        `${wanted.length === 1 ? 'The tab' : `All ${wanted.length} tabs`} in “${name}” ${wanted.length === 1 ? 'is' : 'are'} open.`,
      )
      labelOpen(`Open the other ${others}`)
      return
    }
    if (isDone) {
      const rest = manual === 0 ? '' : ` ${manual} to open manually.`
      announce((tabs.length === 1 ? 'The tab is open.' : `All ${tabs.length} tabs are open.`) + rest)
      labelOpen(tabs.length === 1 ? 'Opened' : 'All open')
      return
    }
    if (refusals > 1) {
      giveUp()
      return
    }
    const why = isRestored ? 'Press' : 'Your browser blocked the rest: press'
    announce(`${done} of ${wanted.length} open. ${why} “Open next” for each tab.`)
    labelOpen('Open next', `${done + 1} of ${wanted.length}`)
    const steps = howToAllow()
    how.textContent =
      steps && `To open all at once: ${steps}${isFirefox ? ' Firefox then opens the rest by itself.' : ''}`
    blocked.hidden = steps === null
  }

  /** Some apps give a page no window, however often one presses. Links in the same window still work there. */
  const giveUp = () => {
    const isFocused = document.activeElement === open
    open.hidden = blocked.hidden = again.hidden = true
    for (const tab of all) {
      tab.target = '_self'
      tab.closest('details')?.setAttribute('open', '')
    }
    for (const { button } of parts) button.hidden = true
    announce('This app can’t open new tabs. Open each link below, or copy them all into a browser.')
    if (isFocused) byId('copy').focus()
  }

  const record = () =>
    main.dataset.slug &&
    fetch(`/api/links/${main.dataset.slug}/events`, {
      method: 'POST',
      keepalive: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'open_all', matchedRuleId: main.dataset.rule || null }),
    }).catch(() => {})

  /** @param {HTMLAnchorElement[]} some */
  const openAll = (some) => {
    isBegun = true
    wanted = some
    const left = waiting()
    openTabs(left)
    if (left.length > 0) record()
  }

  open.addEventListener('click', () => {
    // Once all are open, a second click must not open everything again: that has its own button.
    if (isBegun && waiting().length > 0) openTabs(waiting().slice(0, 1))
    else openAll(tabs)
  })

  for (const { button, own } of parts) button.addEventListener('click', () => openAll(own))

  again.addEventListener('click', () => {
    untick(tabs)
    isRestored = false
    openAll(tabs)
    if (again.hidden) open.focus()
  })

  // fill.js: with other values they are other tabs, of which none is open.
  document.addEventListener('filled', () => {
    if (isBegun || opened.size > 0) {
      untick(all)
      wanted = tabs
      isBegun = isRestored = false
      keep()
      marks.point(undefined)
      blocked.hidden = again.hidden = true
      open.classList.remove('done')
      open.removeAttribute('aria-disabled')
    }
    showParts()
    // Where no window ever opens, it stays as it is.
    if (open.hidden) return
    labelOpen(label, number)
    status.textContent = summary
    status.className = ''
  })

  rest.addEventListener('click', () => {
    if (isFirefox) {
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
    // The right button opens a menu, and what is chosen there is not known. A link that lacks a value leads nowhere.
    if (button > 1 || tab.href === '') return
    countOpened(tab)
    tick(tab)
    show()
  }
  for (const tab of all) {
    tab.addEventListener('click', follow)
    tab.addEventListener('auxclick', follow)
  }

  /** @type {{ opened: string[], isBegun: boolean, refusals: number, part: number } | null} */
  const kept = history.state
  for (const href of kept?.opened ?? []) {
    const tab = all.find((tab) => tab.href === href && !opened.has(tab))
    if (tab) tick(tab)
  }
  if (kept?.isBegun) {
    isBegun = isRestored = true
    wanted = parts[kept.part]?.own ?? tabs
    refusals = kept.refusals
    show()
  }
}
