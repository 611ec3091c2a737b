// @ts-check

/**
 * Tells screen readers what has changed on the page. @param {string} text
 */
function announce(text) {
  const live = document.getElementById('live')
  // The same once more is told once more.
  if (live !== null) live.textContent = live.textContent === text ? `${text}\u00a0` : text
}

// Copies the field that `data-copy` names, or the text that `data-text` holds.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy], button[data-text]') : null
  if (!(button instanceof HTMLButtonElement)) return
  const field = document.getElementById(button.dataset.copy ?? '')
  const text = field instanceof HTMLInputElement ? field.value : (button.dataset.text ?? '')
  const isCopied = await copyText(text)
  const label = button.querySelector('.label') ?? button
  const before = button.dataset.before ?? label.textContent ?? ''
  button.dataset.before = before
  label.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
  announce(label.textContent)
  if (!isCopied && field instanceof HTMLInputElement) field.select()
  setTimeout(() => (label.textContent = before), 2000)
})

// Where the system can share, a button shares the address that `data-share` holds.
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-share]'))) {
  button.hidden = !('share' in navigator)
  button.addEventListener('click', () => {
    // Refused where somebody thinks better of it, which is no failure.
    navigator.share({ title: button.dataset.title, url: button.dataset.share }).catch(() => {})
  })
}

/** @type {AbortController | undefined} */
let pendingSearch

// While a list is typed, the server is asked which links it finds in it.
/** @param {HTMLTextAreaElement} urls */
async function findLinks(urls) {
  const found = document.getElementById('found')
  if (found === null) return
  pendingSearch?.abort()
  pendingSearch = new AbortController()
  const { signal } = pendingSearch
  await new Promise((wait) => setTimeout(wait, 250))
  if (signal.aborted) return
  const body = new URLSearchParams({ urls: urls.value })
  const answer = await fetch(urls.dataset.findUrl ?? '', { method: 'POST', body, signal }).catch(() => null)
  // Keep the previous result if the server refuses, for example for its rate limit.
  if (!answer?.ok || signal.aborted) return
  found.innerHTML = await answer.text()
  const title = document.getElementById('title')
  const titled = found.querySelector('[data-title]')
  // A bundle that there is already has its own title.
  if (title instanceof HTMLInputElement && urls.id === 'urls') {
    title.placeholder = titled instanceof HTMLElement ? (titled.dataset.title ?? '') : ''
  }
}
document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.dataset.findUrl !== undefined) void findLinks(target)
})

/** Focuses the first error of a page. Returns whether there was one. */
function showWrong() {
  const wrong = document.querySelector('[aria-invalid]') ?? document.getElementById('alert')
  if (wrong instanceof HTMLElement) wrong.focus()
  return wrong !== null
}
showWrong()
