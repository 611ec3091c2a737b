// @ts-check
import '../rich-paste.js'
import { markSuggested, suggestTitles } from '../page-titles.js'
import { announce, latest } from '../site.js'

// Keeps the list up to date with the pasted text, as the server parses it. Without this script, every button submits the form and
// returns it with the same list; with it, the list appears right after pasting.

/** @type {HTMLFormElement} */
let builder
/** @type {HTMLTextAreaElement} */
let pasteField
const latestList = latest(250)

/** The typed texts in the list and the form, by field id. @returns {Map<string, string>} */
function typedNow() {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (
    builder.querySelectorAll('#title, #description, .found-row input[id]')
  )
  return new Map([...fields].map(({ id, value }) => [id, value]))
}

/**
 * Updates the list after a change to the text, or with a button of the list.
 * @param {number} pauseMs @param {HTMLButtonElement} [button]
 */
async function showList(pauseMs, button) {
  const signal = await latestList(pauseMs)
  if (signal.aborted) return
  const body = new FormData(builder)
  const sent = typedNow()
  body.set('listed', 'yes')
  if (button !== undefined) body.set('do', button.value)
  const answer = await fetch(builder.dataset.list ?? '', { method: 'POST', body, signal }).catch(() => null)
  if (signal.aborted) return
  if (!answer?.ok) {
    // The page shows the error. While typing, the previous list stays; publishing sends the new text anyway.
    if (button !== undefined) builder.requestSubmit(button)
    return
  }
  // Aborting also ends the reading of the answer.
  const html = await answer.text().catch(() => null)
  if (html !== null && !signal.aborted) replaceList(html, sent, button !== undefined)
}

/** @param {string} html @param {Map<string, string>} sent the texts at the time of the request @param {boolean} isPressed */
function replaceList(html, sent, isPressed) {
  const parts = document.createElement('template')
  parts.innerHTML = html
  const before = typedNow()
  const focused = document.activeElement
  const heard = listInWords()
  takeFoundTexts(parts.content)
  if (pasteField.ariaInvalid) document.getElementById('alert')?.remove()
  pasteField.removeAttribute('aria-invalid')
  for (const part of [...parts.content.children]) document.getElementById(part.id)?.replaceWith(part)
  for (const [id, value] of before) {
    const field = document.getElementById(id)
    // Text typed since the request stays.
    if (field instanceof HTMLInputElement && value !== sent.get(id)) field.value = value
  }
  const next = isPressed
    ? builder.querySelector('#found [autofocus]')
    : focused?.id
      ? document.getElementById(focused.id)
      : null
  if (next instanceof HTMLElement && next !== document.activeElement) next.focus()
  if (!isPressed && next instanceof HTMLInputElement && focused instanceof HTMLInputElement) {
    next.setSelectionRange(focused.selectionStart, focused.selectionEnd)
  }
  showFold()
  markSuggested()
  void suggestTitles([...builder.querySelectorAll('.found-row')])
  const says = listInWords()
  if (says !== heard || isPressed) announce(says)
}

/** Copies the title and the description from the paste, unless they were edited. @param {DocumentFragment} parts */
function takeFoundTexts(parts) {
  for (const found of /** @type {NodeListOf<HTMLInputElement>} */ (parts.querySelectorAll('[data-for]'))) {
    const field = /** @type {HTMLInputElement} */ (document.getElementById(found.dataset.for ?? ''))
    const was = /** @type {HTMLInputElement | null} */ (builder.querySelector(`#found [name="${found.name}"]`))
    if (field.value.trim() === (was?.value ?? '').trim()) field.value = found.value
  }
}

/** The summary of the list, for announcements. */
function listInWords() {
  return [...builder.querySelectorAll('#found :is(.found, .found-head .error)')]
    .map((line) => line.textContent)
    .join('. ')
}

// After a paste, the text folds into the line with the number of links. It stays in its field, which is sent as ever.

/** Whether the text is folded; undefined as long as it was only typed. @type {boolean | undefined} */
let isFolded
/** The text at the last change, and before it. */
let [lastText, textBefore] = ['', '']

/** Shows the text or hides it, and what the button does. */
function showFold() {
  const button = document.getElementById('unfold')
  // Without links, a later text is typed until it is pasted.
  if (builder.querySelector('.found-row') === null) isFolded = undefined
  const isHidden = isFolded === true
  const hadFocus = document.activeElement === pasteField
  pasteField.closest('.pasted')?.classList.toggle('folded', isHidden)
  if (button === null) return
  button.hidden = isFolded === undefined
  button.textContent = isHidden ? 'Show the text' : 'Hide the text'
  button.setAttribute('aria-expanded', String(!isHidden))
  if (isHidden && hadFocus) button.focus()
}

/** Whether an event is beside the fields while the text is folded. @param {Event} event */
const isBesideFold = ({ target }) => isFolded === true && !(/** @type {Element} */ (target).matches('input, textarea'))

// Undoing a paste takes it back although its field is folded. Firefox forgets what can be undone in a field that was hidden.
document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, shiftKey } = event
  const isUndo = (ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'z'
  if (!isUndo || !isBesideFold(event)) return
  event.preventDefault()
  isFolded = false
  showFold()
  pasteField.value = textBefore
  pasteField.focus()
  pasteField.dispatchEvent(new Event('input'))
})

/** Tells the field of a paste. */
function pasted() {
  pasteField.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }))
}

// What is pasted beside the fields while the text is folded is added to it.
document.addEventListener('paste', (event) => {
  const text = event.clipboardData?.getData('text/plain') ?? ''
  if (!isBesideFold(event) || text.trim() === '') return
  event.preventDefault()
  pasteField.value += `\n${text}`
  pasted()
})

/** Attaches to the form, which htmx may have put into the page. */
function attach() {
  const form = /** @type {HTMLFormElement} */ (document.querySelector('form.builder'))
  const field = /** @type {HTMLTextAreaElement} */ (document.getElementById('urls'))
  if (form === builder) return
  isFolded = undefined
  if (form === null) return
  ;[builder, pasteField, lastText, textBefore] = [form, field, '', '']
  field.addEventListener('input', (event) => {
    form.querySelector('.tries')?.toggleAttribute('hidden', field.value !== '')
    const isPasted = event instanceof InputEvent && /^insertFrom/.test(event.inputType)
    if (isPasted) isFolded = true
    // A rich paste is told of twice.
    if (lastText !== field.value) [textBefore, lastText] = [lastText, field.value]
    void showList(isPasted ? 0 : 250)
  })
  form.addEventListener('click', (event) => {
    const { ctrlKey, metaKey, shiftKey } = event
    const target = /** @type {Element} */ (event.target)
    const pressed = target.closest('#unfold, .found-row button, .tries a')
    if (pressed === null || ctrlKey || metaKey || shiftKey) return
    event.preventDefault()
    if (pressed instanceof HTMLAnchorElement) {
      field.value = new URL(pressed.href).searchParams.get('text') ?? ''
      field.focus()
      pasted()
    } else if (pressed.id === 'unfold') {
      isFolded = !isFolded
      showFold()
      if (!isFolded) field.focus()
    } else void showList(0, /** @type {HTMLButtonElement} */ (pressed))
  })
}
attach()
document.addEventListener('htmx:after:swap', attach)
// After navigating back, the browser restores the text but not the list.
addEventListener('pageshow', () => {
  if (pasteField?.value.trim() && document.getElementById('found')?.childElementCount === 0) void showList(0)
})
// An on-screen keyboard covers the end of the page where it does not make it smaller. Magnifying has another scale.
for (const type of ['resize', 'scroll']) {
  visualViewport?.addEventListener(type, () => {
    const { scale, height, offsetTop } = /** @type {VisualViewport} */ (visualViewport)
    document.body.style.setProperty('--keyboard', `${scale > 1 ? 0 : innerHeight - height - offsetTop}px`)
  })
}
