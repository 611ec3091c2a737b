// @ts-check

/**
 * Announces a text to screen readers. @param {string} text
 */
function announce(text) {
  const live = document.getElementById('live')
  // A no-break space makes a repeated text different, so that it is announced again.
  if (live !== null) live.textContent = live.textContent === text ? `${text}\u00a0` : text
}

// Copies the field named by `data-copy`, or the text in `data-text`.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy], button[data-text]') : null
  if (!(button instanceof HTMLButtonElement)) return
  const field = document.getElementById(button.dataset.copy ?? '')
  const text = field instanceof HTMLInputElement ? field.value : (button.dataset.text ?? '')
  const isCopied = await copyText(text)
  const label = button.querySelector('.label') ?? button
  const before = button.dataset.before ?? label.textContent ?? ''
  button.dataset.before = before
  // "Copied" must not move what stands around the button; it has room beside the icon, or in the margin.
  if (isCopied) button.style.width ||= `${button.getBoundingClientRect().width}px`
  label.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
  announce(label.textContent)
  if (!isCopied && field instanceof HTMLInputElement) field.select()
  setTimeout(() => (label.textContent = before), 2000)
})

// Share buttons, shown where the system can share; `data-share` is the address.
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-share]'))) {
  button.hidden = !('share' in navigator)
  button.addEventListener('click', () => {
    // Rejects if the visitor cancels, which is not an error.
    navigator.share({ title: button.dataset.title, url: button.dataset.share }).catch(() => {})
  })
}

/**
 * For requests while typing: each waits for a pause and aborts the previous one.
 * @param {number} pauseMs
 * @returns {(pauseMs?: number) => Promise<AbortSignal>} the request's signal, aborted once there is a newer request.
 */
function latest(pauseMs) {
  /** @type {AbortController | undefined} */
  let current
  return async (pause = pauseMs) => {
    current?.abort()
    const { signal } = (current = new AbortController())
    await new Promise((wait) => setTimeout(wait, pause))
    return signal
  }
}

const latestSearch = latest(250)

// Shows which links the server finds in a list while it is typed.
/** @param {HTMLTextAreaElement} urls */
async function findLinks(urls) {
  const found = document.getElementById('found')
  if (found === null) return
  const signal = await latestSearch()
  if (signal.aborted) return
  const body = new URLSearchParams({ urls: urls.value })
  // Only the home page makes variables of what is found; the editor does so of its links.
  if (urls.id === 'urls' && urls.form !== null) {
    body.set('offer', 'yes')
    for (const name of new FormData(urls.form).getAll('declared')) body.append('declared', String(name))
  }
  const answer = await fetch(urls.dataset.findUrl ?? '', { method: 'POST', body, signal }).catch(() => null)
  // Keep the previous result if the server refuses, for example for its rate limit.
  if (!answer?.ok || signal.aborted) return
  found.innerHTML = await answer.text()
  const title = document.getElementById('title')
  const titled = found.querySelector('[data-title]')
  // Only for a new bundle: a saved one has a title.
  if (title instanceof HTMLInputElement && urls.id === 'urls') {
    title.placeholder = titled instanceof HTMLElement ? (titled.dataset.title ?? '') : ''
  }
}
document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.dataset.findUrl !== undefined) void findLinks(target)
})

/** Focuses the first error of a page. Returns whether there was one. */
function focusFirstError() {
  const wrong = document.querySelector('[aria-invalid]') ?? document.getElementById('alert')
  if (wrong instanceof HTMLElement) wrong.focus()
  return wrong !== null
}
focusFirstError()
