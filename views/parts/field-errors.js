// @ts-check
import { clearFieldError, fieldErrorOf, showFieldError } from './error-line.js'

// Shows the browser's validation errors below their fields, like the server's: on a phone, the browser's bubble covers the
// button.

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} FormControl */

/**
 * The form control of an event, if it has a `.field` of its own. @param {Event} event
 * @returns {FormControl | null}
 */
function controlOf({ target }) {
  if (!(target instanceof Element) || target.id === '') return null
  return target.closest(':is(.narrow, .panel, .empty, .builder) .field') === null
    ? null
    : /** @type {FormControl} */ (target)
}

/** The error as the server would word it. @param {FormControl} control */
function errorText(control) {
  const { validity, validationMessage } = control
  if (control.id === 'urls') return 'Paste at least one link.'
  if (validity.valueMissing) return control instanceof HTMLSelectElement ? 'Choose one.' : 'Fill in this field.'
  if (validity.typeMismatch && control.type === 'email') return 'Enter a valid email address.'
  if (validity.tooShort && 'minLength' in control) return `Use at least ${control.minLength} characters.`
  return validationMessage
}

/** @param {FormControl} control @param {boolean} isShown */
function showHint(control, isShown) {
  const hint = control.closest('.field')?.querySelector(':scope > .hint')
  if (hint instanceof HTMLElement) hint.hidden = !isShown
}

document.addEventListener(
  'invalid',
  (event) => {
    const control = controlOf(event)
    if (control === null) return
    event.preventDefault()
    showFieldError(control, errorText(control), { place: (line) => control.closest('.field')?.append(line) })
    showHint(control, false)
    if (control.form?.querySelector(':invalid:not(fieldset)') === control) control.focus()
  },
  true,
)

document.addEventListener('input', (event) => {
  const control = controlOf(event)
  if (control === null || fieldErrorOf(control) === null) return
  clearFieldError(control)
  showHint(control, true)
})
