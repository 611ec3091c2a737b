// @ts-check

/** The editor that something is part of; its title stands above it. @param {EventTarget | null} target */
function editorOf(target) {
  if (!(target instanceof Element)) return null
  return target.closest('#editor') ?? (target.closest('[form="editor"]') && document.getElementById('editor'))
}

/** The heading says what its field says, with blanks. */
function writeTitle() {
  const [heading, field] = [document.querySelector('.name-edit h1'), document.getElementById('title')]
  if (heading === null || !(field instanceof HTMLInputElement)) return
  writeBlanks(heading, field.value.trim() || field.placeholder)
}

/** @param {HTMLElement} field @param {{ says: string, isHint?: true } | undefined} error */
function updateFieldError(field, error) {
  if (error === undefined) clearFieldError(field)
  else showFieldError(field, error.says, error)
}

/** @typedef {{ link: number | null, variable?: number, field: string, says: string, isHint?: true }} FormError */

/**
 * What the server's check says, if it has just answered. @param {Event} event
 * @returns {{ errors: FormError[], variables: { uses: string[], examples: string[], offers: VariableOffer[] } } | null}
 */
function checkedIn(event) {
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  const found = target instanceof Element && target.id === 'check' ? target.querySelector('[data-errors]') : null
  if (!(found instanceof HTMLElement)) return null
  return { errors: JSON.parse(found.dataset.errors ?? '[]'), variables: JSON.parse(found.dataset.variables ?? '{}') }
}

document.addEventListener('htmx:before:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  if (ctx.sourceElement?.id !== 'check') return
  ctx.fetch = async (/** @type {[string, RequestInit]} */ ...request) => {
    const answer = await fetch(...request)
    await released()
    return answer
  }
})

// What the server found goes beside the fields that it is about.
document.addEventListener('htmx:after:swap', (event) => {
  const checked = checkedIn(event)
  if (checked === null) return
  const { errors } = checked
  const errorOf = (/** @type {number | null} */ link, /** @type {string} */ name) =>
    errors.find((error) => error.link === link && error.variable === undefined && error.field === name)
  for (const field of document.querySelectorAll('.about [name]')) {
    if (!(field instanceof HTMLElement)) continue
    const error = errorOf(null, field.id)
    updateFieldError(field, error)
  }
  for (const [index, row] of linksNow().entries()) {
    for (const field of row.querySelectorAll('.fields [name]')) {
      if (!(field instanceof HTMLElement)) continue
      const error = errorOf(index, field.getAttribute('name') ?? '')
      // A new error opens its row. If the user then closes it, it stays closed.
      if (error !== undefined && !field.hasAttribute('aria-describedby')) openLink(row)
      updateFieldError(field, error)
    }
  }
})

// A form that was typed in is not left by mistake: whatever leads away becomes a real navigation, before which the
// browser itself asks.
document.addEventListener('input', ({ target }) => {
  editorOf(target)?.setAttribute('data-touched', '')
  writeTitle()
  if (target instanceof Element) target.closest('.fields')?.querySelector('.leads')?.remove()
})
let isEditorSending = false
window.addEventListener('beforeunload', (event) => {
  if (!isEditorSending && document.querySelector('#editor[data-touched]') !== null) event.preventDefault()
})
document.addEventListener(
  'click',
  (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (link === null || document.querySelector('#editor[data-touched]') === null) return
    if (link.hasAttribute('data-discard')) document.getElementById('editor')?.removeAttribute('data-touched')
    else if (!link.hasAttribute('target')) event.stopPropagation()
  },
  { capture: true },
)
document.addEventListener(
  'submit',
  ({ target }) => {
    isEditorSending = target instanceof Element && target.id === 'editor'
  },
  { capture: true },
)
document.addEventListener('htmx:error', () => (isEditorSending = false))
document.addEventListener('htmx:after:swap', () => (isEditorSending = false))
