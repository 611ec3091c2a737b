// @ts-check

// One menu is open at a time, and none after a press elsewhere or Escape.
/** @param {EventTarget | null} [within] */
function closeMenus(within) {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!(within instanceof Node && menu.contains(within))) menu.removeAttribute('open')
  }
}
document.addEventListener('click', ({ target }) => closeMenus(target))
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  const menu = event.target instanceof Element ? event.target.closest('details.menu[open]') : null
  closeMenus()
  menu?.querySelector('summary')?.focus()
})

// A page that htmx has put in is begun at its top, like any other, and what it says is said.
document.addEventListener('htmx:after:swap', (event) => {
  const page = document.getElementById('page')
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  if (page === null || target !== page) return
  const isWrong = showWrong()
  if (!isWrong && !page.hasAttribute('data-stays') && document.activeElement?.id !== 'q') {
    window.scrollTo(0, 0)
    const start = page.querySelector('[autofocus]') ?? document.getElementById('main')
    if (start instanceof HTMLElement) start.focus({ preventScroll: true })
  }
  // What is focused is read out by itself.
  if (!isWrong) announce(page.querySelector('.flash p')?.textContent ?? document.title)
})

// A part of a page that was asked for tells what came.
document.addEventListener('htmx:after:swap', (event) => {
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  const part = target instanceof Element ? document.getElementById(target.id) : null
  if (part?.id === 'list') announce(part.dataset.announcement ?? '')
})

// What could not be reached or was refused leaves the page as it is, with everything typed.
document.addEventListener('htmx:error', () => {
  const alert = document.createElement('p')
  alert.className = 'alert'
  alert.role = 'alert'
  alert.textContent = 'The server could not be reached. What you typed is still here: try again in a moment.'
  // Beside the button that was pressed, wherever the page is scrolled to.
  const bar = document.querySelector('.save-bar')
  bar?.querySelector('.alert')?.remove()
  if (bar === null) document.getElementById('messages')?.replaceChildren(alert)
  else bar.prepend(alert)
})

// Times are sent in UTC; a hover shows them in the reader's own zone.
document.addEventListener('pointerover', ({ target }) => {
  const time = target instanceof Element ? target.closest('time') : null
  if (time === null || time.dataset.local !== undefined) return
  time.dataset.local = ''
  time.title = new Date(time.dateTime).toLocaleString()
})
