// @ts-check

// The field that several links are pasted into. What is pasted becomes rows at once; what is typed, with its button. While
// one types, it says what the server finds.

const latestSearch = latest(250)

/** @param {EventTarget | null} target */
const isPasteBox = (target) => target instanceof HTMLTextAreaElement && target.id === 'more'

/** @param {HTMLTextAreaElement} more */
async function findLinks(more) {
  const found = document.getElementById('found')
  if (found === null) return
  const signal = await latestSearch()
  if (signal.aborted) return
  const body = new URLSearchParams({ urls: more.value })
  const answer = await fetch(more.dataset.findUrl ?? '', { method: 'POST', body, signal }).catch(() => null)
  // Keep the previous result if the server refuses, for example for its rate limit.
  if (answer?.ok && !signal.aborted) found.innerHTML = await answer.text()
}

/** Makes rows of the text in the field, which stays there if that fails. @param {HTMLTextAreaElement} more */
async function addPasted(more) {
  const { value } = more
  // Aborts the search in the text, whose result would replace the report.
  void latestSearch()
  if (value.trim() === '') return more.focus()
  if (!(await addLinks(value))) return
  if (more.value === value) more.value = ''
  more.closest('details')?.removeAttribute('open')
  takeTitle()
}

/** A new bundle is called what the text calls its links. */
function takeTitle() {
  const title = document.getElementById('title')
  const found = /** @type {HTMLElement | null} */ (document.querySelector('#found [data-title]'))
  const isNew = document.getElementById('editor')?.dataset.kind === 'new'
  if (!isNew || !(title instanceof HTMLInputElement) || title.value.trim() !== '') return
  title.value = found?.dataset.title ?? ''
  title.dispatchEvent(new Event('input', { bubbles: true }))
}

document.addEventListener('input', (event) => {
  const more = /** @type {HTMLTextAreaElement} */ (event.target)
  if (!isPasteBox(more)) return
  if (event instanceof InputEvent && /^insertFrom/.test(event.inputType)) void addPasted(more)
  else void findLinks(more)
})
