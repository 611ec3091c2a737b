// @ts-check

// At most one menu is open; a click elsewhere or Escape closes it.
/** @param {EventTarget | null} [within] */
function closeMenus(within) {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!(within instanceof Node && menu.contains(within))) menu.removeAttribute('open')
  }
}
document.addEventListener('click', ({ target }) => closeMenus(target))
// A menu without room below its button opens above it.
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLElement) || !target.matches('details.menu[open]')) return
    target.removeAttribute('data-above')
    const [button, items] = [target.getBoundingClientRect(), target.querySelector('.pop')?.getBoundingClientRect()]
    if (items === undefined) return
    const isCut = items.bottom > window.innerHeight && items.height + 4 < button.top
    target.toggleAttribute('data-above', isCut)
  },
  { capture: true },
)
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  const menu = event.target instanceof Element ? event.target.closest('details.menu[open]') : null
  closeMenus()
  menu?.querySelector('summary')?.focus()
})

// A page that htmx loads starts at its top, like any other, and its message is announced.
document.addEventListener('htmx:after:swap', (event) => {
  const page = swappedPage(event)
  if (page === null) return
  const isWrong = focusFirstError()
  if (!isWrong && !page.hasAttribute('data-stays') && document.activeElement?.id !== 'q') {
    window.scrollTo(0, 0)
    const start = page.querySelector('[autofocus]') ?? document.getElementById('main')
    if (start instanceof HTMLElement) start.focus({ preventScroll: true })
  }
  // Screen readers read the focused field by themselves.
  if (!isWrong) announce(page.querySelector('.flash p')?.textContent ?? document.title)
})

// The list announces its new content.
document.addEventListener('htmx:after:swap', (event) => {
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  const part = target instanceof Element ? document.getElementById(target.id) : null
  if (part?.id === 'list') announce(part.dataset.announcement ?? '')
})

// A failed request leaves the page as it is, with all input.
document.addEventListener('htmx:error', () => {
  const alert = document.createElement('p')
  alert.className = 'alert'
  alert.setAttribute('role', 'alert')
  alert.textContent = 'The server could not be reached. What you typed is still here: try again in a moment.'
  // Near the pressed button, so that it is visible at any scroll position.
  const bar = document.querySelector('.save-bar')
  bar?.querySelector('.alert')?.remove()
  if (bar === null) document.getElementById('messages')?.replaceChildren(alert)
  else bar.prepend(alert)
})

// Pages have times in UTC; hovering shows them in the local time zone.
document.addEventListener('pointerover', ({ target }) => {
  const time = target instanceof Element ? target.closest('time') : null
  if (time === null || time.dataset.local !== undefined) return
  time.dataset.local = ''
  time.title = new Date(time.dateTime).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
})
