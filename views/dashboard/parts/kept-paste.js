// @ts-check

// A pasted text belongs to its entry of the browser's history, so that Back and a reload show it again, and a new form is empty.
// Nobody else who signs in here gets it.

/** @typedef {{ of: string, text: string }} KeptPaste */

/** Longer texts are files, which are chosen again. */
const MAX_CHARS = 500_000

const fieldNow = () =>
  /** @type {HTMLTextAreaElement | null} */ (document.querySelector('[data-pasting] :is(#urls, #text)'))

/** The person and the field. @param {HTMLTextAreaElement} field */
const keyOf = (field) => `${field.closest('[data-pasting]')?.getAttribute('data-pasting')} ${field.id}`

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause

function keepPaste() {
  clearTimeout(pause)
  const field = fieldNow()
  if (field === null || field.value.length > MAX_CHARS) return
  /** @type {KeptPaste} */
  const pasted = { of: keyOf(field), text: field.value }
  // htmx replaces the state of an entry that is not its own.
  history.replaceState({ htmx: true, ...history.state, pasted }, '')
}

function restorePaste() {
  const field = fieldNow()
  /** @type {KeptPaste | undefined} */
  const pasted = history.state?.pasted
  if (field === null) return
  if (field.value === '' && pasted?.of === keyOf(field) && pasted.text !== '') {
    field.value = pasted.text
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
  } else if (field.value !== '') keepPaste()
}

document.addEventListener('input', ({ target }) => {
  if (target !== fieldNow()) return
  clearTimeout(pause)
  // Safari refuses more than a hundred changes in half a minute.
  pause = setTimeout(keepPaste, 500)
})
addEventListener('pagehide', keepPaste)
document.addEventListener('htmx:before:request', keepPaste)
restorePaste()
// htmx changes the address only after this event.
document.addEventListener('htmx:after:swap', () => setTimeout(restorePaste))
