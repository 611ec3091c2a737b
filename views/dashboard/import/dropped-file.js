// @ts-check

// Files are read into the submitted text field. Bookmarks keep only the attributes we use: most of the file is icons.
const MAX_IMPORT_BYTES = 200 * 1024

/** @param {File | null | undefined} file */
async function readImportFile(file) {
  const field = document.getElementById('text')
  const status = document.getElementById('file-status')
  if (file == null || !(field instanceof HTMLTextAreaElement) || status === null) return
  const text = leanBookmarks(await file.text())
  const size = new URLSearchParams({ text }).toString().length
  const kib = (/** @type {number} */ bytes) => `${Math.ceil(bytes / 1024)} KiB`
  if (size > MAX_IMPORT_BYTES) {
    status.textContent = `${file.name} is too long to read at once (${kib(size)}; the limit is ${kib(MAX_IMPORT_BYTES)}): import it in parts.`
    return
  }
  field.value = text
  status.textContent = `${file.name} is in the field.`
}

/** Removes unused attributes from bookmarks. @param {string} text */
function leanBookmarks(text) {
  if (!/^\s*<!doctype netscape/i.test(text)) return text
  const used = /\s(?:href|tags|personal_toolbar_folder|unfiled_bookmarks_folder)="[^"]*"/gi
  return text
    .replace(/<(a|h3)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>/gi, (_, tag, attributes) => {
      return `<${tag}${(attributes.match(used) ?? []).join('')}>`
    })
    .replace(/^[ \t]+/gm, '')
}

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.id === 'file') void readImportFile(target.files?.[0])
  if (!(target instanceof HTMLInputElement) || target.closest('.plan') === null) return
  // Ticking a bundle ticks all its links.
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
  const file = event.dataTransfer?.files[0]
  if (file === undefined || !(event.target instanceof Element) || event.target.id !== 'text') return
  event.preventDefault()
  void readImportFile(file)
})
// Links without a title may get that of their page, once there is a plan.
const suggestPlanned = () => void suggestTitles([...document.querySelectorAll('.plan [data-url]')])
suggestPlanned()
document.addEventListener('htmx:after:swap', suggestPlanned)
// The bookmark for other pages does nothing here.
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element) || event.target.closest('[data-bookmark]') === null) return
  event.preventDefault()
  const says = document.getElementById('bookmark-says')
  if (says !== null) says.textContent = 'Drag it to your bookmarks bar, then press it on another page.'
})
