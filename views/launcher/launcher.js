// @ts-check

{
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
  const main = /** @type {HTMLElement} */ (document.querySelector('main'))
  const open = /** @type {HTMLButtonElement} */ (byId('open'))
  const status = byId('status')
  const all = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a.tab')])
  const tabs = all.filter((tab) => tab.dataset.open === 'auto')
  const label = open.textContent
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
  rest.textContent = 'I have allowed them: open the rest'
  blocked.append(how, rest)
  status.after(blocked)

  /** @param {HTMLAnchorElement} tab */
  const tick = (tab) => {
    const row = tab.closest('li')
    if (row === null || row.classList.contains('opened')) return
    row.classList.add('opened')
    const said = document.createElement('span')
    said.className = 'said'
    said.textContent = ' (opened)'
    tab.append(said)
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
    if (/Firefox/.test(agent))
      return `To open all at once: in the bar at the top, choose Options, then “Allow pop-ups for ${host}”.`
    if (/Chrome|Chromium|Edg/.test(agent)) {
      return `To open all at once: click the blocked-window sign at the end of the address bar and choose “Always allow pop-ups from ${host}”.`
    }
    if (/Safari/.test(agent))
      return `To open all at once: in Safari’s settings, Websites, Pop-up Windows, choose Allow for ${host}.`
    return `To open all at once: allow pop-ups for ${host} in your browser’s settings.`
  }

  /** @param {string} text */
  const say = (text) => {
    status.textContent = text
    status.className = 'news'
  }

  const show = () => {
    const done = tabs.length - waiting.length
    for (const tab of tabs) tab.closest('li')?.classList.toggle('next', tab === waiting[0])
    if (waiting.length === 0) {
      say(tabs.length === 1 ? 'The tab is open.' : `All ${tabs.length} tabs are open.`)
      open.textContent = label
      blocked.hidden = true
      return
    }
    say(`${done} of ${tabs.length} opened; your browser blocked ${waiting.length}.`)
    open.textContent = `Open next (${done + 1} of ${tabs.length})`
    how.textContent = howToAllow()
    blocked.hidden = false
  }

  const record = () =>
    fetch(`/api/links/${main.dataset.slug}/events`, {
      method: 'POST',
      keepalive: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'open_all', matchedRuleId: main.dataset.rule || null }),
    }).catch(() => {})

  open.addEventListener('click', () => {
    if (waiting.length > 0) {
      const [next, ...later] = waiting
      waiting = next === undefined ? [] : [...openTabs([next]), ...later]
      show()
      return
    }
    waiting = openTabs(tabs)
    show()
    record()
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
        : 'Your browser did not let this page copy.',
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
