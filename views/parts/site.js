// @ts-check
import './field-errors.js'
import { copyLinks, copyText } from './copy.js'

/**
 * Announces a text to screen readers. @param {string} text
 */
export function announce(text) {
  const live = document.getElementById('live')
  // A no-break space makes a repeated text different, so that it is announced again.
  if (live !== null) live.textContent = live.textContent === text ? `${text}\u00a0` : text
}

// Copies the field named by `data-copy`, the text in `data-text`, or the links in `data-links`.
document.addEventListener('click', async ({ target }) => {
  const button =
    target instanceof Element ? target.closest('button[data-copy], button[data-text], button[data-links]') : null
  if (!(button instanceof HTMLButtonElement)) return
  const { copy, links } = button.dataset
  const field = copy === undefined ? null : document.getElementById(copy)
  const text = field instanceof HTMLInputElement ? field.value : (button.dataset.text ?? '')
  const isCopied = await (links === undefined ? copyText(text) : copyLinks(JSON.parse(links)))
  const label = button.querySelector('.label') ?? button
  const before = button.dataset.before ?? label.textContent ?? ''
  button.dataset.before = before
  // The label "Copied" must not move the elements around the button; there is room beside the icon or in the margin.
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

// Shows a password until its form is sent: browsers store the value of a text field.
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-show]') : null
  if (!(button instanceof HTMLButtonElement)) return
  const field = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.show ?? ''))
  const isShown = field.type === 'text'
  field.type = isShown ? 'password' : 'text'
  button.setAttribute('aria-pressed', String(!isShown))
  field.form?.addEventListener('submit', () => (field.type = 'password'), { once: true })
})

// Signing out, on any page, removes all typed text from the browser: see kept-edits.js.
document.addEventListener(
  'submit',
  ({ target }) => {
    if (!(target instanceof HTMLFormElement) || !('signsOut' in target.dataset)) return
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith('openall edits ')) localStorage.removeItem(key)
    } catch {}
  },
  { capture: true },
)

/**
 * Delays requests while somebody types: each waits for a pause and aborts the previous one.
 * @param {number} pauseMs
 * @returns {(pauseMs?: number) => Promise<AbortSignal>} the request's signal, aborted by a newer request.
 */
export function latest(pauseMs) {
  /** @type {AbortController | undefined} */
  let current
  return async (pause = pauseMs) => {
    current?.abort()
    const { signal } = (current = new AbortController())
    await new Promise((wait) => setTimeout(wait, pause))
    return signal
  }
}

let isPressed = false
/** @type {(() => void)[]} */
const held = []
for (const type of /** @type {const} */ (['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])) {
  document.addEventListener(
    type,
    ({ buttons }) => {
      isPressed = buttons !== 0
      // Waits for the click that follows.
      if (isPressed || held.length === 0) return
      setTimeout(() => {
        for (const go of held.splice(0)) go()
      })
    },
    { capture: true, passive: true },
  )
}

/** Waits until no pointer is pressed: a button that moves before the release would not be clicked. */
export async function released() {
  if (isPressed) await new Promise((go) => held.push(() => go(undefined)))
}

/** Focuses the first error on a page; in a group of fields, its first field. Returns whether there was one. */
export function focusFirstError() {
  const wrong = document.querySelector('[aria-invalid]') ?? document.getElementById('alert')
  const focusable = wrong instanceof HTMLFieldSetElement ? wrong.querySelector('input') : wrong
  if (focusable instanceof HTMLElement) focusable.focus()
  return wrong !== null
}
focusFirstError()
