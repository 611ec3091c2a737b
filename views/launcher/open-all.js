// @ts-check

{
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
  const main = /** @type {HTMLElement} */ (document.querySelector('main'))
  const open = /** @type {HTMLButtonElement} */ (byId('open'))
  const status = byId('status')
  const all = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a.tab')])
  const tabs = all.filter((tab) => tab.dataset.open === 'auto')
  const stubs = document.querySelectorAll('.stubs i')
  const isFirefox = /Firefox/.test(navigator.userAgent)

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

  // Created here to keep the page small, because thousands of pages are cached; without a script nothing is blocked.
  const blocked = document.createElement('div')
  blocked.id = blocked.className = 'blocked'
  blocked.hidden = true
  const how = document.createElement('p')
  how.id = 'how'
  const rest = document.createElement('button')
  rest.id = 'rest'
  rest.type = 'button'
  // Firefox opens what it has blocked as soon as pop-ups are allowed, and tells the page nothing.
  rest.textContent = isFirefox ? 'They’re open' : 'Pop-ups allowed? Open the rest'
  const drawn = document.createElement('div')
  const drawing = drawingOfBlocked()
  drawn.className = `drawn ${drawing}`
  blocked.append(how, rest, ...(drawing === undefined ? [] : [drawn]))
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

  /** A tab's row and its stub. @type {(tab: HTMLAnchorElement) => [HTMLElement, HTMLElement]} */
  const partsOf = (tab) => /** @type {any} */ ([tab.closest('li'), stubs[all.indexOf(tab)]])

  /** @param {HTMLAnchorElement} tab @param {number} place among those that are ticked one after another. */
  const tick = (tab, place = 0) => {
    if (opened.has(tab)) return
    opened.add(tab)
    const [row, stub] = partsOf(tab)
    row.classList.add('opened')
    stub.classList.add('done')
    for (const part of [row, stub]) part.style.setProperty('--i', String(place))
    const hidden = document.createElement('span')
    hidden.className = 'visually-hidden'
    hidden.textContent = ' (opened)'
    tab.append(hidden)
  }

  /** @param {HTMLAnchorElement[]} some */
  const untick = (some) => {
    for (const tab of some) {
      opened.delete(tab)
      for (const part of partsOf(tab)) part.classList.remove('opened', 'done')
      tab.querySelector('.visually-hidden')?.remove()
    }
  }

  /** Keeps the progress where a reload, or a tab that the browser had unloaded, finds it again. */
  const keep = () => {
    const hrefs = [...opened].map((tab) => tab.href)
    history.replaceState({ opened: hrefs, isBegun, refusals, part: parts.findIndex(({ own }) => own === wanted) }, '')
  }

  /**
   * Firefox reopens what it had blocked by itself, and with an opener where `Cross-Origin-Opener-Policy` does not apply:
   * on plain http. Such a tab goes through a page of ours, which cuts it off.
   * @param {HTMLAnchorElement} tab
   */
  const openOne = ({ href }) => {
    if (isFirefox && !isSecureContext) return window.open(`/away#${encodeURIComponent(href)}`, '_blank')
    const view = window.open(href, '_blank')
    if (view !== null) view.opener = null
    return view
  }

  /**
   * Opens tabs during the click, because browsers block those that are opened later.
   * `noopener` would return null for every window, blocked or not, so the opener is removed afterwards.
   * @param {HTMLAnchorElement[]} some
   */
  const openTabs = (some) => {
    let isRefused = some.length > 0
    for (const [place, tab] of some.entries()) {
      if (openOne(tab) === null) continue
      countOpened(tab)
      tick(tab, place)
      isRefused = false
    }
    refusals = isRefused ? refusals + 1 : 0
    show()
  }

  /** @param {string} text */
  const say = (text) => {
    status.textContent = text
    status.className = 'news'
  }

  /** @param {string | null} text @param {string} [count] how many tabs that opens, or which of them. */
  const labelOpen = (text, count) => {
    open.textContent = text
    if (count) open.dataset.count = count
    else delete open.dataset.count
  }

  /** Marks the tab that the next press opens. @param {HTMLAnchorElement | undefined} next */
  const markNext = (next) => {
    for (const tab of tabs) {
      const [row, stub] = partsOf(tab)
      row.classList.toggle('next', tab === next)
      stub.classList.toggle('now', tab === next)
    }
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
    markNext(left[0])
    open.classList.toggle('done', others === 0)
    open.setAttribute('aria-disabled', String(others === 0))
    blocked.hidden = isDone
    again.hidden = others > 0 && !isRestored
    again.textContent = others === 0 ? 'Open again' : 'Start over'
    if (isDone && others > 0) {
      const name = parts.find(({ own }) => own === wanted)?.title?.textContent
      say(
        `${wanted.length === 1 ? 'The tab' : `All ${wanted.length} tabs`} in “${name}” ${wanted.length === 1 ? 'is' : 'are'} open.`,
      )
      labelOpen(`Open the other ${others}`)
      return
    }
    if (isDone) {
      const rest = manual === 0 ? '' : ` ${manual} to open manually.`
      say((tabs.length === 1 ? 'The tab is open.' : `All ${tabs.length} tabs are open.`) + rest)
      labelOpen(tabs.length === 1 ? 'Opened' : 'All open')
      return
    }
    if (refusals > 1) {
      giveUp()
      return
    }
    const why = isRestored ? 'Press' : 'Your browser blocked the rest: press'
    say(`${done} of ${wanted.length} open. ${why} “Open next” for each tab.`)
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
    say('This app can’t open new tabs. Open each link below, or copy them all into a browser.')
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
      markNext(undefined)
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

  // Rules may depend on the query and the referrer, and the file and a copy must have the tabs that this viewer sees.
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll('#bookmarks, #own-copy')
  )) {
    // After a password, the file is in the page.
    if (link.protocol === 'data:') continue
    link.search = location.search
    if (document.referrer !== '') {
      const { protocol, host } = new URL(document.referrer)
      const referrer = encodeURIComponent(`${protocol}//${host}`)
      link.search += `${link.search === '' ? '?' : '&'}openall-referrer=${referrer}`
    }
  }

  byId('copy').addEventListener('click', async () => {
    const isCopied = await copyText(all.map((tab) => tab.href).join('\n'))
    say(
      isCopied
        ? `${all.length === 1 ? 'The link is' : `All ${all.length} links are`} copied.`
        : 'Your browser blocked copying.',
    )
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

  // A click elsewhere or Escape closes it; `details` would stay open.
  const qr = /** @type {HTMLDetailsElement} */ (document.querySelector('details.qr'))
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !qr.contains(target)) qr.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') qr.open = false
  })
}
