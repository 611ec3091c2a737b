// @ts-check

import { suggestTitles } from '../../../parts/page-titles.js'
import { announce, latest } from '../../../parts/site.js'
import { submitAction } from '../live-form.js'

// Keys, pasting and dropping, which no button of the editor covers. Added rows appear at once, before the server answers.

/** @param {EventTarget | null} target */
export function linkOf(target) {
  const row = target instanceof Element ? target.closest('#links > .link-row') : null
  return row instanceof HTMLElement ? row : null
}

/** The rows that will be sent. */
export const linksNow = () => [...document.querySelectorAll('#links > .link-row:not(.removed)')]

/** @param {Element} row @param {string} name */
export function fieldIn(row, name) {
  const field = row.querySelector(`[name="${name}"]`)
  return field instanceof HTMLElement && 'value' in field ? /** @type {HTMLInputElement} */ (field) : null
}

/** The number of a row. @param {Element} row */
export const numberOf = ({ id }) => Number(id.split('-')[1])

/** The list to which a button adds a row, and the field to focus. @type {Record<string, [list: string, field: string]>} */
const ADDED = { add: ['links', 'url'], variable: ['variables', 'variables.name'] }

// The button's value contains the row number, so that the server recognises the new row.
document.addEventListener(
  'submit',
  ({ target, submitter }) => {
    if (!(target instanceof Element) || target.id !== 'editor' || !(submitter instanceof HTMLButtonElement)) return
    const kind = submitter.hidden ? '' : (submitter.value.split('-')[0] ?? '')
    const [listed, first] = ADDED[kind] ?? []
    if (listed === undefined || first === undefined) return
    const [list, template] = [document.getElementById(listed), document.getElementById(`new-${kind}`)]
    if (list === null || template === null) return
    const number = Math.max(0, ...[...list.children].map(numberOf)) + 1
    const above = kind === 'add' ? linksNow().at(-1) : undefined
    submitter.value = `${kind}-${number}`
    list.insertAdjacentHTML('beforeend', template.innerHTML.replaceAll('-new', `-${number}`))
    const row = list.lastElementChild
    const numbered = row?.querySelector('[value="new"]')
    if (numbered instanceof HTMLInputElement) numbered.value = String(number)
    if (row === null) return
    const [section, around] = [fieldIn(row, 'section'), above && fieldIn(above, 'section')]
    if (section && around) section.value = around.value
    fieldIn(row, first)?.focus()
  },
  { capture: true },
)

document.addEventListener('keydown', (event) => {
  const { target, key, altKey } = event
  const way = { ArrowUp: 'up', ArrowDown: 'down' }[key]
  // In fields, these keys open a list or move the caret.
  const row = target instanceof Element && target.closest('summary, button') !== null ? linkOf(target) : null
  if (!altKey || way === undefined || row === null) return
  event.preventDefault()
  submitAction(`${way}-${numberOf(row)}`)
})

// Renames a variable or a section everywhere once its name has been typed.
document.addEventListener('change', ({ target }) => {
  const isName = target instanceof Element && target.matches('#variables [name="variables.name"], .section-head input')
  if (isName) submitAction('refresh')
})

/**
 * Converts the links of a text to rows, below a row or at the end. The text stays in its field until then.
 * @param {string} text @param {Element | null} [row]
 */
function addLinks(text, row) {
  const more = document.getElementById('more')
  if (!(more instanceof HTMLTextAreaElement)) return
  more.value = more.value.trim() === '' ? text : `${more.value}\n${text}`
  submitAction(row ? `paste-${numberOf(row)}` : 'paste')
}

// Several lines pasted into one field are several links.
document.addEventListener('paste', (event) => {
  const { target, clipboardData } = event
  const row = linkOf(target)
  if (row === null || !(target instanceof HTMLInputElement) || target.name !== 'url') return
  const text = clipboardData?.getData('text/plain').trim() ?? ''
  if (!/[\r\n]/.test(text)) return
  event.preventDefault()
  addLinks(text, row)
})

// Accepts links dragged from elsewhere.
document.addEventListener('dragover', (event) => {
  const isOverList = event.target instanceof Element && event.target.closest('#editor .links') !== null
  if (isOverList && event.dataTransfer?.types.includes('text/uri-list')) event.preventDefault()
})
document.addEventListener('drop', (event) => {
  const text = event.dataTransfer?.getData('text/uri-list') ?? ''
  if (text === '' || !(event.target instanceof Element) || event.target.closest('#editor .links') === null) return
  event.preventDefault()
  addLinks(text.replace(/^#.*$/gm, ''))
})

const latestSearch = latest(250)

/** Shows the server's result for the typed text. @param {HTMLTextAreaElement} more */
async function findLinks(more) {
  const found = document.getElementById('found')
  if (found === null) return
  const signal = await latestSearch()
  if (signal.aborted) return
  const body = new URLSearchParams({ urls: more.value })
  const answer = await fetch(more.dataset.findUrl ?? '', { method: 'POST', body, signal }).catch(() => null)
  // Keeps the previous result if the server refuses, for example for its rate limit.
  const html = answer?.ok ? await answer.text().catch(() => null) : null
  if (html !== null && !signal.aborted) found.innerHTML = html
}

// Pasted text becomes rows at once; typed text, with its button.
document.addEventListener('input', (event) => {
  const { target } = event
  if (!(target instanceof HTMLTextAreaElement) || target.id !== 'more') return
  if (event instanceof InputEvent && /^insertFrom/.test(event.inputType)) submitAction('paste')
  else void findLinks(target)
})

// The text is sent only to become rows.
document.addEventListener('htmx:config:request', (event) => {
  const { body } = /** @type {CustomEvent} */ (event).detail.ctx.request
  if (!(body instanceof FormData) || document.getElementById('editor') === null) return
  if (/^paste/.test(String(body.get('do')))) void latestSearch()
  else if (body.get('do') !== 'save') body.delete('more')
})

/** The rows and offers before the answer. @type {Set<string>} */
let known = new Set()
const offersNow = () =>
  [...document.querySelectorAll('#links .said code')].map((one) => one.closest('p')?.textContent ?? '')
document.addEventListener('htmx:before:swap', () => {
  known = new Set([...linksNow().map(({ id }) => id), ...offersNow()])
})

document.addEventListener('answered', (event) => {
  const action = String(/** @type {CustomEvent} */ (event).detail)
  const more = document.getElementById('more')
  if (more instanceof HTMLTextAreaElement && action.startsWith('paste')) {
    more.value = ''
    more.closest('details')?.removeAttribute('open')
  }
  if (/^(up|down)-/.test(action)) document.activeElement?.scrollIntoView({ block: 'nearest' })
  const heading = document.activeElement?.matches('.section-head input') ? document.activeElement : null
  if (heading instanceof HTMLInputElement && action === 'section') heading.select()
  const fresh = offersNow().filter((offer) => !known.has(offer))
  if (fresh.length > 0) announce(fresh.join(' '))
  void suggestTitles(linksNow().filter(({ id }) => !known.has(id)))
})

// The server has an icon that the page lacks.
document.addEventListener('iconfound', () => {
  document.getElementById('links')?.dispatchEvent(new Event('input', { bubbles: true }))
})

// Dragging by the handle, with a mouse, a pen or a finger.
document.addEventListener('pointerdown', (event) => {
  const grip = event.target instanceof Element ? event.target.closest('.grip') : null
  const row = linkOf(grip)
  if (!(grip instanceof HTMLElement) || row === null || event.button !== 0) return
  event.preventDefault()
  const start = linksNow().indexOf(row)
  const middle = (/** @type {Element} */ other) => {
    const { top, height } = other.getBoundingClientRect()
    return top + height / 2
  }
  const drag = (/** @type {PointerEvent} */ { clientY }) => {
    const { previousElementSibling: above, nextElementSibling: below } = row
    if (above !== null && clientY < middle(above)) row.after(above)
    else if (below !== null && clientY > middle(below)) row.before(below)
    if (clientY < 60) window.scrollBy(0, -16)
    if (clientY > window.innerHeight - 100) window.scrollBy(0, 16)
  }
  const end = () => {
    grip.removeEventListener('pointermove', drag)
    row.classList.remove('dragged')
    if (linksNow().indexOf(row) !== start) submitAction(`moved-${numberOf(row)}`)
  }
  row.classList.add('dragged')
  grip.setPointerCapture(event.pointerId)
  grip.addEventListener('pointermove', drag)
  grip.addEventListener('lostpointercapture', end, { once: true })
})
