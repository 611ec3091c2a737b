// @ts-check
import { suggestTitles } from '../../parts/page-titles.js'

// A chosen or dropped file is sent unchanged at once, and a preview comes back.

const fileInput = () => /** @type {HTMLInputElement | null} */ (document.querySelector('#import [name="file"]'))

function sendFile() {
  const input = fileInput()
  const status = document.getElementById('file-status')
  const [file] = input?.files ?? []
  if (input === null || status === null || file === undefined) return
  const max = Number(input.dataset.max)
  status.textContent = ''
  if (file.size <= max)
    return input.form?.requestSubmit(/** @type {HTMLElement} */ (input.form.querySelector('[value="read"]')))
  const mib = (/** @type {number} */ bytes) => `${(bytes / 1024 / 1024).toFixed(bytes % 1048576 === 0 ? 0 : 1)} MiB`
  status.textContent = `${file.name} is too long to read at once (${mib(file.size)}; the limit is ${mib(max)}): import it in parts.`
  input.value = ''
}

// Longer waits are announced.
const SAY_AFTER_MS = 1000
/** @type {ReturnType<typeof setTimeout> | undefined} */
let saying
document.addEventListener('submit', ({ target, submitter }) => {
  if (!(target instanceof HTMLFormElement) || target.id !== 'import') return
  const isMade = submitter instanceof HTMLButtonElement && submitter.value === 'make'
  const bundles = target.querySelectorAll('[name="bundle"]:checked').length
  const name = fileInput()?.files?.[0]?.name ?? 'the text'
  clearTimeout(saying)
  saying = setTimeout(() => {
    const says = document.getElementById('working')
    if (says !== null)
      says.textContent = isMade ? `Creating ${bundles} bundle${bundles === 1 ? '' : 's'}…` : `Reading ${name}…`
  }, SAY_AFTER_MS)
})
document.addEventListener('htmx:finally:request', () => {
  clearTimeout(saying)
  const says = document.getElementById('working')
  if (says !== null) says.textContent = ''
})

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target === fileInput()) sendFile()
  if (!(target instanceof HTMLInputElement) || target.closest('.plan') === null) return
  // The checkbox of a bundle applies to all its links.
  if (target.name === 'bundle') {
    for (const link of target.closest('li')?.querySelectorAll('[name="link"]') ?? []) {
      if (link instanceof HTMLInputElement) link.checked = target.checked
    }
  }
  const ticked = document.querySelectorAll('.plan [name="bundle"]:checked').length
  const button = document.querySelector('[data-count-bundles]')
  if (button !== null) button.textContent = `Create ${ticked} bundle${ticked === 1 ? '' : 's'}`
})
document.addEventListener('dragover', (event) => {
  if (event.target instanceof Element && event.target.id === 'text') event.preventDefault()
})
document.addEventListener('drop', (event) => {
  const { files } = event.dataTransfer ?? {}
  const input = fileInput()
  const isOnField = event.target instanceof Element && event.target.id === 'text'
  if (!isOnField || event.defaultPrevented || input === null || !files?.length) return
  event.preventDefault()
  input.files = files
  sendFile()
})
// Once there is a plan, page titles are suggested for links without one.
const suggestPlanned = () => void suggestTitles([...document.querySelectorAll('.plan [data-url]')])
suggestPlanned()
document.addEventListener('htmx:after:swap', suggestPlanned)
// The bookmarklet is for other pages, and does nothing here.
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element) || event.target.closest('[data-bookmark]') === null) return
  event.preventDefault()
  const says = document.getElementById('bookmark-says')
  if (says !== null) says.textContent = 'Drag it to your bookmarks bar, then press it on another page.'
})
