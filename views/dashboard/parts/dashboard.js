// @ts-check

import { announce, focusFirstError } from '../../parts/site.js'

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

// Reloading the page must not repeat its message.
function forgetMessage() {
  const url = new URL(location.href)
  if (!url.searchParams.has('notice')) return
  for (const name of ['notice', 'slug', 'slugs', 'version', 'was']) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
}
forgetMessage()

/**
 * The content of a swap: another page, or the same page after one of its forms was saved or refused; null for a part of a page.
 * @param {Event} event @returns {'page' | 'form' | null}
 */
export function shownBy(event) {
  const { target } = /** @type {CustomEvent} */ (event).detail.ctx
  return target === '#main' ? 'form' : target === document.getElementById('page') ? 'page' : null
}

document.addEventListener('htmx:before:swap', (event) => {
  if (shownBy(event) !== null) closeMenus()
})

// A page that htmx loads starts at its top, like any other. A form keeps its scroll position; its message is in the button's bar.
document.addEventListener('htmx:after:swap', (event) => {
  const shown = shownBy(event)
  if (shown === null) return
  const isWrong = focusFirstError()
  if (shown === 'form') sayInBar()
  else if (!isWrong && document.activeElement?.id !== 'q') {
    window.scrollTo(0, 0)
    const start = document.querySelector('#page [autofocus]') ?? document.getElementById('main')
    if (start instanceof HTMLElement) start.focus({ preventScroll: true })
  }
  // Screen readers read the focused field anyway.
  if (!isWrong) announce(document.querySelector('.flash p')?.textContent ?? document.title)
  // htmx changes the address only after this event.
  setTimeout(forgetMessage)
})

// A notice that comes with a part of a page, or from a script, takes the place of the standing one (notices.tsx).
const NOTICES = '.alert, .flash, .conflict, .kept:not([hidden])'
export function showOneNotice() {
  const messages = document.getElementById('messages')
  const others = [...document.querySelectorAll(`#main :is(${NOTICES})`)].filter((one) => !messages?.contains(one))
  if (others.length > 0) messages?.replaceChildren()
}
document.addEventListener('htmx:after:swap', (event) => {
  if (shownBy(event) === null) showOneNotice()
})

/** Shows the message beside the pressed button, where it covers nothing, until the next input; without a bar, above. */
function sayInBar() {
  const [bar, messages] = [document.querySelector('.save-bar, #policy .bar'), document.getElementById('messages')]
  const flash = messages?.querySelector('.flash')
  if (messages === null || !flash) return
  if (bar === null) return flash.scrollIntoView({ block: 'center' })
  flash.classList.add('toast')
  bar.append(messages)
}
document.addEventListener('input', () => document.querySelector('.flash.toast')?.remove())

export const saveButton = () =>
  document.querySelector('.save-bar .primary, :is(.save-bar, #policy .bar) button[value="save"]')

document.addEventListener('keydown', (event) => {
  const button = saveButton()
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
  if (!(button instanceof HTMLElement)) return
  event.preventDefault()
  // A key alone must not discard somebody else's changes.
  if (button.classList.contains('primary')) button.click()
  else document.getElementById('alert')?.focus()
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
  showOneNotice()
})

// Pages show times in UTC; hovering shows the local time.
document.addEventListener('pointerover', ({ target }) => {
  const time = target instanceof Element ? target.closest('time') : null
  if (time === null || time.dataset.local !== undefined) return
  time.dataset.local = ''
  time.title = new Date(time.dateTime).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
})

// Safari shows the current time in an empty field, as if it had been typed; styles hide it until it is edited. Where a text
// replaces a missing time, the pattern to fill in is hidden in every browser.
const isSafari = navigator.vendor.startsWith('Apple')
const markEmpty = () => {
  for (const field of document.querySelectorAll(`${isSafari ? '' : '[data-without] '}input[type=datetime-local]`)) {
    if (field instanceof HTMLInputElement) field.toggleAttribute('data-empty', field.value === '')
  }
}
markEmpty()
for (const event of ['input', 'change', 'htmx:after:swap']) document.addEventListener(event, markEmpty)
