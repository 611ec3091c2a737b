// @ts-check

/** The element with the error of a field. @param {HTMLElement} field */
function fieldErrorOf(field) {
  return document.getElementById(`${field.id}-error`)
}

/**
 * Shows an error or hint of a field, as `FieldError` in fields.tsx does.
 * @param {HTMLElement} field @param {string} text
 * @param {{ isHint?: boolean, place?: (line: Element) => void }} [options] `place` puts a new line where it belongs,
 * by default after the field.
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function showFieldError(field, text, { isHint = false, place = (line) => field.after(line) } = {}) {
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
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function clearFieldError(field) {
  fieldErrorOf(field)?.remove()
  field.removeAttribute('aria-invalid')
  field.removeAttribute('aria-describedby')
}
