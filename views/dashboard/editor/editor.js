// @ts-check

// The list of links. Without this script every button sends the form and gets it back changed; with it the same is
// done here, so that nothing that is focused is lost. What is right and wrong is for the server to say.

const { htmx: htmxApi } =
  /** @type {{ htmx: { ajax(verb: string, path: string, options: object): Promise<void> } }} */
  (/** @type {unknown} */ (window))

/** @param {EventTarget | null} target */
function linkOf(target) {
  const row = target instanceof Element ? target.closest('#links > .link-row') : null
  return row instanceof HTMLElement ? row : null
}

/** The rows that would be sent. */
const linksNow = () => [...document.querySelectorAll('#links > .link-row:not(.removed)')]

/** @param {Element} row @param {string} name */
function linkField(row, name) {
  const field = row.querySelector(`[name="${name}"]`)
  return field instanceof HTMLElement && 'value' in field ? /** @type {HTMLInputElement} */ (field) : null
}

/** After the list has changed: names, the server's check, and what is said. @param {string} says */
function listChanged(says) {
  for (const [index, row] of linksNow().entries()) {
    const legend = row.querySelector('legend')
    if (legend !== null) legend.textContent = `Link ${index + 1}`
    for (const button of row.querySelectorAll('.moves button')) {
      if (button instanceof HTMLButtonElement) button.value = `${button.value.split('-')[0]}-${index}`
    }
  }
  document.getElementById('links')?.dispatchEvent(new Event('input', { bubbles: true }))
  announce(says)
}

/** @param {Element} row */
const linkPlace = (row) => `${linksNow().indexOf(row) + 1} of ${linksNow().length}`

/** Its neighbours are moved round it, for what is moved itself loses the focus. @param {Element} row @param {string} way */
function moveLink(row, way) {
  const other = way === 'up' ? row.previousElementSibling : row.nextElementSibling
  if (other === null) return announce(`It is the ${way === 'up' ? 'first' : 'last'} link already`)
  if (way === 'up') row.after(other)
  else row.before(other)
  listChanged(`Link moved to ${linkPlace(row)}`)
}

/** Leaves a link out of what is sent; it can be put back until the page is left. @param {HTMLElement} row */
function removeLink(row) {
  const fieldset = row.querySelector('fieldset')
  if (fieldset === null) return
  fieldset.disabled = true
  row.classList.add('removed')
  const gone = document.createElement('p')
  gone.className = 'gone'
  const name = document.createElement('bdi')
  name.textContent = `Removed: ${linkField(row, 'note')?.value.split('\n')[0] || linkField(row, 'url')?.value || 'a link'}`
  const back = document.createElement('button')
  back.type = 'button'
  back.className = 'small'
  back.textContent = 'Put back'
  back.addEventListener('click', () => {
    gone.remove()
    fieldset.disabled = false
    row.classList.remove('removed')
    linkField(row, 'url')?.focus()
    listChanged(`Put back as link ${linkPlace(row)}`)
  })
  gone.append(name, back)
  row.append(gone)
  back.focus()
  listChanged('Link removed. It can be put back.')
}

/** Puts the links of a text, as the server reads it, after a row. @param {string} text @param {Element | null} [after] */
async function addLinks(text, after) {
  const list = document.getElementById('links')
  if (list === null) return
  const before = new Set(list.children)
  await htmxApi.ajax('POST', list.dataset.rows ?? '', {
    values: { text },
    target: after ?? list,
    swap: after == null ? 'beforeend' : 'afterend',
  })
  const added = [...list.children].filter((row) => !before.has(row))
  const last = added.at(-1)
  if (last === undefined) return
  const isEmpty = (/** @type {Element} */ row) =>
    ['url', 'note', 'tags'].every((name) => !linkField(row, name)?.value.trim())
  if (after != null && isEmpty(after)) after.remove()
  linkField(last, 'url')?.focus()
  listChanged(added.length === 1 ? `Link ${linkPlace(last)} added` : `${added.length} links added`)
}

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('#editor .links button[name="do"]') : null
  if (!(button instanceof HTMLButtonElement)) return
  event.preventDefault()
  const [action = ''] = button.value.split('-')
  const row = linkOf(button)
  if (row !== null) return action === 'remove' ? removeLink(row) : moveLink(row, action)
  const more = document.getElementById('more')
  if (action === 'add' || !(more instanceof HTMLTextAreaElement)) return void addLinks('')
  const { value } = more
  pendingSearch?.abort()
  if (value.trim() === '') return more.focus()
  more.value = ''
  more.closest('details')?.removeAttribute('open')
  void addLinks(value)
})

// Several lines pasted into one field are several links.
document.addEventListener('paste', (event) => {
  const { target, clipboardData } = event
  const row = linkOf(target)
  if (row === null || !(target instanceof HTMLInputElement) || target.name !== 'url') return
  const text = clipboardData?.getData('text/plain').trim() ?? ''
  if (!/[\r\n]/.test(text)) return
  event.preventDefault()
  void addLinks(text, row)
})

// Links that are dragged here from elsewhere.
document.addEventListener('dragover', (event) => {
  const isOverList = event.target instanceof Element && event.target.closest('#editor .links') !== null
  if (isOverList && event.dataTransfer?.types.includes('text/uri-list')) event.preventDefault()
})
document.addEventListener('drop', (event) => {
  const text = event.dataTransfer?.getData('text/uri-list') ?? ''
  if (text === '' || !(event.target instanceof Element) || event.target.closest('#editor .links') === null) return
  event.preventDefault()
  void addLinks(text.replace(/^#.*$/gm, ''))
})

// Dragging by the handle, with a mouse, a pen or a finger.
document.addEventListener('pointerdown', (event) => {
  const grip = event.target instanceof Element ? event.target.closest('.grip') : null
  const row = linkOf(grip)
  if (!(grip instanceof HTMLElement) || row === null || event.button !== 0) return
  event.preventDefault()
  const start = linkPlace(row)
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
    if (linkPlace(row) !== start) listChanged(`Link moved to ${linkPlace(row)}`)
  }
  row.classList.add('dragged')
  grip.setPointerCapture(event.pointerId)
  grip.addEventListener('pointermove', drag)
  grip.addEventListener('lostpointercapture', end, { once: true })
})

/**
 * Shows or clears what is to be said of a field.
 * @param {HTMLElement} field @param {{ says: string, isHint?: true } | undefined} error
 */
function showFieldError(field, error) {
  const id = `${field.id}-error`
  const shown = document.getElementById(id)
  if (error === undefined) {
    shown?.remove()
    field.removeAttribute('aria-invalid')
    field.removeAttribute('aria-describedby')
    return
  }
  const line = shown ?? document.createElement('p')
  line.id = id
  line.className = error.isHint ? 'error only-hint' : 'error'
  if (line.textContent !== error.says) line.textContent = error.says
  if (shown === null) field.after(line)
  if (error.isHint) field.removeAttribute('aria-invalid')
  else field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', id)
}

// What the server found goes beside the fields that it is about.
document.addEventListener('htmx:after:swap', (event) => {
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  const found = target instanceof Element && target.id === 'check' ? target.querySelector('[data-errors]') : null
  if (!(found instanceof HTMLElement)) return
  /** @type {{ link: number | null, field: string, says: string, isHint?: true }[]} */
  const errors = JSON.parse(found.dataset.errors ?? '[]')
  const errorOf = (/** @type {number | null} */ link, /** @type {string} */ name) =>
    errors.find((error) => error.link === link && error.field === name)
  for (const name of ['title', 'description', 'slug']) {
    const field = document.getElementById(name)
    if (field !== null) showFieldError(field, errorOf(null, name))
  }
  for (const [index, row] of linksNow().entries()) {
    for (const name of ['url', 'note', 'tags', 'openPolicy']) {
      const field = linkField(row, name)
      if (field !== null) showFieldError(field, errorOf(index, name))
    }
  }
})

// A form that was typed in is not left by mistake: whatever leads away becomes a real navigation, before which the
// browser itself asks.
document.addEventListener('input', ({ target }) => {
  const editor = target instanceof Element ? target.closest('#editor') : null
  editor?.setAttribute('data-touched', '')
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
