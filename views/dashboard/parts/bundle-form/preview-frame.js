// @ts-check
import { latest } from '../../../parts/site.js'
import { shownBy } from '../dashboard.js'
import { editorOf } from './editing.js'
import { linkOf, linksNow } from './link-list.js'

// The preview beside the form. The server renders the launcher from the form's content. Its frame runs no scripts and has an
// opaque origin, so that no text in it can reach this page or the session.

/** The width of the page in the frame: that of a phone. */
const PHONE_PX = 390

const latestPreview = latest(400)
/** The form data in the preview, so that the same data is not requested twice. */
let previewed = ''
/** The last edited link. @type {Element | null} */
let editedLink = null

/** The pane whose place and width are watched. @type {Element | null} */
let watched = null
/** A pane below the window, as on a phone, asks for nothing. */
let isInSight = false
const sight = new IntersectionObserver((entries) => {
  isInSight = entries.at(-1)?.isIntersecting === true
  if (isInSight) void renderPreview(0)
})
const width = new ResizeObserver(([entry]) => {
  const { target, contentRect } = entry ?? {}
  if (target instanceof HTMLElement) target.style.setProperty('--scale', String((contentRect?.width ?? 0) / PHONE_PX))
})

/** A page that htmx loads has a pane of its own. */
function watch() {
  const pane = document.getElementById('preview')
  if (pane === watched) return
  for (const observer of [sight, width]) observer.disconnect()
  isInSight = false
  watched = pane
  const screen = pane?.querySelector('.screen')
  if (pane === null || !screen) return
  width.observe(screen)
  sight.observe(pane)
}

/** @param {number} [pauseMs] */
async function renderPreview(pauseMs) {
  const pane = document.getElementById('preview')
  const form = document.getElementById('editor')
  if (pane === null || pane !== watched || !isInSight || !(form instanceof HTMLFormElement)) return
  const signal = await latestPreview(pauseMs)
  if (signal.aborted || !form.isConnected) return
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value)
  body.set('at', String(editedLink === null ? -1 : linksNow().indexOf(editedLink)))
  if (body.toString() === previewed && pane.querySelector('iframe') !== null) return
  const answer = await fetch(pane.dataset.url ?? '', { method: 'POST', body, signal }).catch(() => null)
  const html = answer?.status === 200 ? await answer.text().catch(() => null) : null
  if (signal.aborted) return
  previewed = html === null ? '' : body.toString()
  pane.querySelector('.screen')?.toggleAttribute('data-stale', html === null)
  const notice = document.getElementById('preview-says')
  if (notice !== null) notice.textContent = html === null ? whyStale(pane, answer?.status) : ''
  if (html !== null) showPreview(pane, html)
}

/** @param {Element} pane @param {number | undefined} status */
function whyStale(pane, status) {
  if (status !== 204) return 'The preview couldn’t be updated. It will be with your next change.'
  return pane.querySelector('iframe') === null
    ? 'Add a link to see your page here.'
    : 'Fix the error to update the preview.'
}

/**
 * The old frame stays until the new one has loaded, so that nothing flashes during typing.
 * @param {Element} pane @param {string} html
 */
function showPreview(pane, html) {
  const frame = document.createElement('iframe')
  frame.title = 'Preview of your page'
  frame.className = 'coming'
  // Nothing in it takes the focus; Firefox would stop there all the same, and not continue.
  frame.tabIndex = -1
  frame.setAttribute('sandbox', '')
  frame.srcdoc = html
  frame.addEventListener(
    'load',
    () => {
      while (frame.previousElementSibling !== null) frame.previousElementSibling.remove()
      frame.classList.remove('coming')
    },
    { once: true },
  )
  pane.querySelector('.screen')?.append(frame)
}

document.addEventListener('input', ({ target }) => {
  if (editorOf(target) === null) return
  editedLink = linkOf(target) ?? editedLink
  void renderPreview()
})
document.addEventListener('answered', () => void renderPreview())
document.addEventListener('click', ({ target }) => {
  const toggle = target instanceof Element ? target.closest('.preview-toggle') : null
  const pane = document.getElementById('preview')
  if (!(toggle instanceof HTMLElement) || pane === null) return
  pane.hidden = !pane.hidden
  toggle.textContent = pane.hidden ? 'Show preview' : 'Hide preview'
  const body = new URLSearchParams({ hidden: pane.hidden ? 'yes' : 'no' })
  // Remembered for the next page; if that fails, this page is still right.
  void fetch(toggle.dataset.url ?? '', { method: 'POST', body }).catch(() => {})
})
document.addEventListener('htmx:after:swap', (event) => {
  if (shownBy(event) === null) return
  watch()
  void renderPreview(0)
})
watch()
