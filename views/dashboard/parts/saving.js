// @ts-check

// Saving: by keyboard, without losing the scroll position, and if it fails, without losing input.

const saveButton = () => document.querySelector('.save-bar .primary, :is(.save-bar, #policy .bar) button[value="save"]')

document.addEventListener('keydown', (event) => {
  const button = saveButton()
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
  if (!(button instanceof HTMLElement)) return
  event.preventDefault()
  // Where saving drops what somebody else has saved, a key alone does not do it.
  if (button.classList.contains('primary')) button.click()
  else document.getElementById('alert')?.focus()
})

// Reloading the page must not repeat its message.
function forgetMessage() {
  const url = new URL(location.href)
  if (!url.searchParams.has('notice')) return
  for (const name of ['notice', 'slug', 'slugs', 'version']) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
}
forgetMessage()

// Removed links can still be restored after a refused save; the response does not contain them.
/** @type {{ row: Element, at: number }[]} */
let removedLinks = []
/** Which links were open: they are reopened after a save. @type {boolean[]} */
let openLinks = []
let scrolled = 0
document.addEventListener(
  'submit',
  ({ target }) => {
    scrolled = window.scrollY
    if (!(target instanceof Element) || target.id !== 'editor') return
    removedLinks = [...target.querySelectorAll('#links > .link-row')]
      .map((row, at) => ({ row, at }))
      .filter(({ row }) => row.classList.contains('removed'))
    openLinks = linksNow().map((row) => row.querySelector('details[open]') !== null)
  },
  { capture: true },
)

/** @param {Element} page */
function putBackRemoved(page) {
  const list = page.querySelector('#editor[data-touched] #links')
  for (const { row, at } of list === null ? [] : removedLinks) {
    for (const field of row.querySelectorAll('[id]')) field.id = `${field.id}-removed-${at}`
    for (const label of row.querySelectorAll('label')) label.htmlFor &&= `${label.htmlFor}-removed-${at}`
    list?.insertBefore(row, list.children[at] ?? null)
  }
  removedLinks = []
}

/** Reopens links, unless the response has a different number of them. */
function reopenLinks() {
  const rows = linksNow()
  if (rows.length === openLinks.length) for (const [at, row] of rows.entries()) if (openLinks[at]) openLink(row)
  openLinks = []
}

/**
 * The page, if this swap replaced all of it.
 * @param {Event} event
 */
function swappedPage(event) {
  const page = document.getElementById('page')
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  return target === page ? page : null
}

/** Shows the message beside the pressed button, where it covers nothing. @param {Element} page */
function sayInBar(page) {
  const messages = document.getElementById('messages')
  page.querySelector('.flash')?.classList.add('toast')
  if (messages !== null) page.querySelector('.save-bar, #policy .bar')?.append(messages)
}

// A form that was saved keeps its scroll position; saved or refused, it shows its message in the button's bar.
let pathBefore = location.pathname
document.addEventListener('htmx:after:swap', (event) => {
  const page = swappedPage(event)
  if (page === null) return
  reopenLinks()
  putBackRemoved(page)
  const stays = location.pathname === pathBefore && page.querySelector('#editor, #policy') !== null
  page.toggleAttribute('data-stays', stays)
  if (stays) sayInBar(page)
  pathBefore = location.pathname
  const isWrong = page.querySelector('[aria-invalid], #alert') !== null
  if (stays && !isWrong) window.scrollTo(0, scrolled)
  // htmx changes the address and scrolls to the top only after this event.
  setTimeout(() => {
    forgetMessage()
    if (!stays || isWrong) return
    window.scrollTo(0, scrolled)
    // The button that was pressed is gone, and its focus with it.
    const button = document.activeElement === document.body ? saveButton() : null
    if (button instanceof HTMLElement) button.focus({ preventScroll: true })
  })
})

// The message disappears with the next input.
document.addEventListener('input', () => document.querySelector('.flash.toast')?.remove())
