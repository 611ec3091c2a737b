// @ts-check

/** The error element of a field. @param {HTMLElement} field */
export function fieldErrorOf(field) {
  return document.getElementById(`${field.id}-error`)
}

/**
 * Shows an error or hint of a field, as `FieldError` in fields.tsx does.
 * @param {HTMLElement} field @param {string} text
 * @param {{ isHint?: boolean, place?: (line: Element) => void }} [options] `place` inserts a new line, by default after the
 * field.
 */
export function showFieldError(field, text, { isHint = false, place = (line) => field.after(line) } = {}) {
  const shown = fieldErrorOf(field)
  const line = shown ?? document.createElement('p')
  line.id = `${field.id}-error`
  line.className = isHint ? 'error only-hint' : 'error'
  if (line.textContent !== text) line.textContent = text
  if (shown === null) place(line)
  if (isHint) field.removeAttribute('aria-invalid')
  else field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', line.id)
}

/** Removes the error or hint of a field. @param {HTMLElement} field */
export function clearFieldError(field) {
  fieldErrorOf(field)?.remove()
  field.removeAttribute('aria-invalid')
  field.removeAttribute('aria-describedby')
}
