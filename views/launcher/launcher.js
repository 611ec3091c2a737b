// @ts-check

{
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
  const main = /** @type {HTMLElement} */ (document.querySelector('main'))
  const open = /** @type {HTMLButtonElement} */ (byId('open'))
  const status = byId('status')
  const all = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a.tab')])
  const tabs = all.filter((tab) => tab.dataset.open === 'auto')
  /** @type {HTMLAnchorElement[]} what the blocker has kept shut since the last press of Open all */
  let waiting = []

  // Made here and not in the page, which is kept in memory thousands of times: without a script nothing is blocked.
  const blocked = document.createElement('div')
  blocked.id = blocked.className = 'blocked'
  blocked.hidden = true
  const how = document.createElement('p')
  how.id = 'how'
  const rest = document.createElement('button')
  rest.id = 'rest'
  rest.type = 'button'
  rest.textContent = 'Pop-ups allowed? Open the rest'
  blocked.append(how, rest)
  status.after(blocked)
  const again = document.createElement('button')
  again.id = 'again'
  again.type = 'button'
  again.className = 'quiet'
  again.hidden = true
  again.textContent = 'Open again'
  open.after(again)
  const progress = document.createElement('div')
  progress.id = 'progress'
  progress.hidden = true
  status.before(progress)

  /** @param {HTMLAnchorElement} tab */
  const tick = (tab) => {
    const row = tab.closest('li')
    if (row === null || row.classList.contains('opened')) return
    row.classList.add('opened')
    const hidden = document.createElement('span')
    hidden.className = 'visually-hidden'
    hidden.textContent = ' (opened)'
    tab.append(hidden)
  }

  /**
   * Opens tabs in this very click: a browser counts what a click opens, and later is not in it.
   * `noopener` would return null for every window, blocked or not, so the opener is cut by hand instead.
   * @param {HTMLAnchorElement[]} wanted
   * @returns {HTMLAnchorElement[]} those that were blocked
   */
  const openTabs = (wanted) =>
    wanted.filter((tab) => {
      const opened = window.open(tab.href, '_blank')
      if (opened === null) return true
      opened.opener = null
      tick(tab)
      return false
    })

  const howToAllow = () => {
    const agent = navigator.userAgent
    const host = location.host
    // An iPad says that it is a Mac, which has no touch screen.
    const isApple = /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 0)
    if (isApple && /CriOS/.test(agent))
      return allow('in Chrome, tap ⋯, Settings, Content Settings, then turn off Block Pop-ups.')
    if (isApple && /FxiOS/.test(agent))
      return allow('in Firefox, tap ☰, Settings, then turn off Block Pop-up Windows.')
    if (isApple && /EdgiOS/.test(agent))
      return allow('in Edge, tap ☰, Settings, Privacy and security, then turn off Block pop-ups.')
    if (isApple) return allow('in the Settings app, choose Apps, Safari, then turn off Block Pop-ups.')
    if (/Android/.test(agent)) {
      if (/SamsungBrowser/.test(agent))
        return allow('tap ☰, Settings, Sites and downloads, then turn off Block pop-ups.')
      if (/Firefox/.test(agent)) return allow('in the message that Firefox shows, tap Allow.')
      return allow(
        'tap “Always show” in the message at the bottom, or ⋮, Settings, Site settings, Pop-ups and redirects.',
      )
    }
    if (/Firefox/.test(agent)) return allow(`in the bar at the top, choose Options, then “Allow pop-ups for ${host}”.`)
    if (/Chrome|Chromium|Edg/.test(agent))
      return allow(`click the blocked pop-up icon in the address bar and choose “Always allow pop-ups from ${host}”.`)
    if (/Safari/.test(agent)) return allow(`in Safari’s settings, Websites, Pop-up Windows, choose Allow for ${host}.`)
    return allow(`allow pop-ups for ${host} in your browser’s settings.`)
  }

  /** @param {string} steps */
  const allow = (steps) => `To open all at once: ${steps}`

  /** @param {string} text */
  const say = (text) => {
    status.textContent = text
    status.className = 'news'
  }

  const manual = all.length - tabs.length
  const show = () => {
    const done = tabs.length - waiting.length
    const isDone = waiting.length === 0
    for (const tab of tabs) tab.closest('li')?.classList.toggle('next', tab === waiting[0])
    progress.hidden = tabs.length === 1
    progress.style.setProperty('--done', `${(100 * done) / tabs.length}%`)
    again.hidden = !isDone
    open.classList.toggle('done', isDone)
    open.setAttribute('aria-disabled', String(isDone))
    blocked.hidden = isDone
    if (isDone) {
      const rest = manual === 0 ? '' : ` ${manual} to open manually.`
      say((tabs.length === 1 ? 'The tab is open.' : `All ${tabs.length} tabs are open.`) + rest)
      open.textContent = tabs.length === 1 ? 'Opened' : 'All open'
      return
    }
    say(`${done} of ${tabs.length} open. Your browser blocked the rest: press “Open next” for each tab.`)
    open.textContent = `Open next (${done + 1} of ${tabs.length})`
    how.textContent = howToAllow()
  }

  const record = () =>
    fetch(`/api/links/${main.dataset.slug}/events`, {
      method: 'POST',
      keepalive: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'open_all', matchedRuleId: main.dataset.rule || null }),
    }).catch(() => {})

  const openAll = () => {
    waiting = openTabs(tabs)
    show()
    record()
  }

  let isBegun = false
  open.addEventListener('click', () => {
    if (waiting.length === 0) {
      // Nobody wants all of them twice by a second press too many: that has a button of its own.
      if (!isBegun) openAll()
      isBegun = true
      return
    }
    const [next, ...later] = waiting
    waiting = next === undefined ? [] : [...openTabs([next]), ...later]
    show()
  })

  again.addEventListener('click', () => {
    openAll()
    if (again.hidden) open.focus()
  })

  rest.addEventListener('click', () => {
    waiting = openTabs(waiting)
    show()
    open.focus()
  })

  // The file holds what this viewer is shown, and who that is may depend on the query and on who led here.
  const bookmarks = /** @type {HTMLAnchorElement} */ (byId('bookmarks'))
  bookmarks.search = location.search
  if (document.referrer !== '') {
    const { protocol, host } = new URL(document.referrer)
    const referrer = encodeURIComponent(`${protocol}//${host}`)
    bookmarks.search += `${bookmarks.search === '' ? '?' : '&'}openall-referrer=${referrer}`
  }

  byId('copy').addEventListener('click', async () => {
    const isCopied = await copyText(all.map((tab) => tab.href).join('\n'))
    say(
      isCopied
        ? `${all.length === 1 ? 'The link is' : `All ${all.length} links are`} copied.`
        : 'Your browser blocked copying.',
    )
  })

  for (const tab of all) {
    tab.addEventListener('click', () => {
      tick(tab)
      if (!waiting.includes(tab)) return
      waiting = waiting.filter((other) => other !== tab)
      show()
    })
  }

  // Details stay open by themselves; a click elsewhere or Escape is expected to close this one.
  const qr = /** @type {HTMLDetailsElement} */ (document.querySelector('details.qr'))
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !qr.contains(target)) qr.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') qr.open = false
  })
}
