// @ts-check
import { shownBy } from '../dashboard.js'

/** The editor that contains an element; the title is above it. @param {EventTarget | null} target */
export function editorOf(target) {
  if (!(target instanceof Element)) return null
  return target.closest('#editor') ?? (target.closest('[form="editor"]') && document.getElementById('editor'))
}

// Guards a form with unsaved input: leaving becomes a real navigation, before which the browser asks.
document.addEventListener('input', ({ target }) => {
  editorOf(target)?.setAttribute('data-touched', '')
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

// Saving renumbers the rows: each keeps its place, its open state and the focus.
document.addEventListener('htmx:before:swap', (event) => {
  if (shownBy(event) !== 'form' || /** @type {CustomEvent} */ (event).detail.ctx.response.status >= 400) return
  for (const removed of document.querySelectorAll('#editor .removed')) removed.remove()
  for (const list of document.querySelectorAll('#links, #variables')) {
    for (const [at, row] of [...list.children].entries())
      for (const numbered of [row, ...row.querySelectorAll('[id]')])
        numbered.id = numbered.id.replace(/-\d+/, `-${at + 1}`)
  }
})

// People type times in their time zone; the form sends instants.
/** @returns {NodeListOf<HTMLInputElement>} */
const timeFields = () => document.querySelectorAll('#editor input[data-instant]')

/** The local time of an instant, in the format of its field. @param {string} instant */
const localTime = (instant) => {
  const at = new Date(instant)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString()
  return local.slice(0, local.endsWith(':00.000Z') ? 16 : -1)
}

const showLocalTimes = () => {
  for (const field of timeFields()) {
    const { instant, shown } = field.dataset
    if (shown !== undefined || instant === undefined) continue
    if (field !== document.activeElement) field.value = instant === '' ? '' : localTime(instant)
    // In the browser's format, without trailing zeros.
    field.dataset.shown = field.value
  }
  const zone = document.querySelector('#editor .zone')
  if (zone !== null) zone.textContent = `your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`
}
showLocalTimes()
document.addEventListener('htmx:after:swap', showLocalTimes)

document.addEventListener('formdata', (event) => {
  for (const { form, name, value, dataset } of timeFields()) {
    if (form !== event.target || value === '') continue
    // An hour that a clock change repeats has two instants: an unchanged field keeps its own.
    const instant = value === dataset.shown ? dataset.instant : new Date(value).toISOString()
    event.formData.set(name, instant ?? '')
  }
})

// Converts the QR code from SVG to PNG in the browser.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-png]') : null
  if (!(button instanceof HTMLElement)) return
  const picture = new Image(1024, 1024)
  picture.src = button.dataset.png ?? ''
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1024
  const pen = canvas.getContext('2d')
  if (pen === null) return
  pen.fillStyle = '#fff'
  pen.fillRect(0, 0, 1024, 1024)
  pen.drawImage(picture, 0, 0, 1024, 1024)
  const link = document.createElement('a')
  link.href = canvas.toDataURL('image/png')
  link.download = `${picture.src.split('/').at(-2)}.png`
  link.click()
})
