// @ts-check

import { shownBy, showOneNotice } from '../dashboard.js'
import { editorOf } from './editing.js'

// Unsaved edits are kept in the browser for a person, a bundle and its version, so that they survive a reload, a crash and a
// sign-in. They are offered again, and removed by a save, Discard and a sign-out.
const PREFIX = 'openall edits '
const MOST = 10
const MAX_CHARS = 250_000
const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000
/** Fields that are never kept: a secret, and fields that each page renews. */
const LEFT_OUT = ['password', 'idempotencyKey', 'do']

/** @typedef {{ at: number, fields: [string, string][] }} KeptEdits */

const editorNow = () => {
  const form = document.querySelector('#editor[data-keeping]')
  return form instanceof HTMLFormElement ? form : null
}
/** @param {HTMLFormElement} form */
const keyOf = (form) => PREFIX + form.dataset.keeping
/** The key of now, and those of the slugs that the bundle had. @param {HTMLFormElement} form */
const keysOf = (form) => {
  const { keeping = '', keptAlso = '' } = form.dataset
  const [person] = keeping.split(' ')
  return [keyOf(form), ...keptAlso.split(' ').flatMap((slug) => (slug === '' ? [] : [`${PREFIX}${person} ${slug}`]))]
}
const keysNow = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))

/** @param {string} key @returns {KeptEdits | null} */
function keptAt(key) {
  try {
    const { at, fields } = JSON.parse(localStorage.getItem(key) ?? 'null') ?? {}
    return Number.isFinite(at) && Array.isArray(fields) && Date.now() - at < MAX_AGE_MS ? { at, fields } : null
  } catch {
    return null
  }
}

/** @param {string} key */
function forget(key) {
  try {
    localStorage.removeItem(key)
  } catch {}
}

function keep() {
  clearTimeout(pause)
  const form = editorNow()
  if (form === null || isLeaving || !form.hasAttribute('data-touched')) return
  const fields = [...new FormData(form)].filter(([name]) => !LEFT_OUT.includes(name))
  const text = JSON.stringify({ at: Date.now(), fields })
  const key = keyOf(form)
  // A browser without space or storage can still save.
  try {
    const others = keysNow().filter((other) => other !== key)
    const byAge = others.sort((one, other) => (keptAt(other)?.at ?? 0) - (keptAt(one)?.at ?? 0))
    for (const old of byAge.filter((other, at) => at >= MOST - 1 || keptAt(other) === null)) forget(old)
    if (text.length <= MAX_CHARS) localStorage.setItem(key, text)
    else forget(key)
  } catch {}
  hideOffer()
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause
/** Whether the person is signing out, here or in another tab. */
let isLeaving = false
for (const type of ['input', 'answered']) {
  document.addEventListener(type, ({ target }) => {
    if (editorOf(target) === null) return
    isLeaving &&= type === 'answered'
    clearTimeout(pause)
    pause = setTimeout(keep, 250)
  })
}
window.addEventListener('pagehide', keep)
// Edits that another tab removed, for example by a sign-out, are not stored again until more is typed.
window.addEventListener('storage', ({ key, newValue }) => {
  const form = editorNow()
  if (form === null || key !== keyOf(form) || newValue !== null) return
  clearTimeout(pause)
  isLeaving = true
})

function hideOffer() {
  const offer = document.getElementById('kept')
  if (offer !== null) offer.hidden = true
}

function offer() {
  const [form, notice] = [editorNow(), document.getElementById('kept')]
  if (form === null || !(notice instanceof HTMLFormElement)) return
  const keys = keysOf(form)
  // A save includes the kept edits. A copy is kept under another key than the saved one.
  if (document.querySelector('.flash[data-saved]') !== null) {
    for (const key of keys) forget(key)
    if (document.querySelector('.flash[data-saved="created"]') !== null) forget(sent)
  }
  const kept = form.hasAttribute('data-touched')
    ? null
    : keys.reduce((found, key) => found ?? keptAt(key), /** @type {KeptEdits | null} */ (null))
  notice.hidden = kept === null
  if (kept === null) return
  for (const old of notice.querySelectorAll('[data-kept]')) old.remove()
  notice.prepend(
    ...kept.fields.map(([name, value]) => {
      const field = document.createElement('textarea')
      field.name = name
      field.value = value
      field.hidden = true
      field.dataset.kept = ''
      return field
    }),
  )
  const version = kept.fields.find(([name]) => name === 'version')?.[1] ?? ''
  const isOld = version !== notice.dataset.version
  const at = new Date(kept.at)
  const isToday = at.toDateString() === new Date().toDateString()
  const time = at.toLocaleString('en-GB', { timeStyle: 'short', ...(isToday ? {} : { dateStyle: 'long' }) })
  const says = isOld ? ` Version ${notice.dataset.version} was saved since: Restore shows both.` : ''
  const line = notice.querySelector('p')
  if (line !== null) line.textContent = `Your unsaved changes from ${time}.${says}`
  showOneNotice()
}
/** The key of the last submitted form. */
let sent = ''
document.addEventListener(
  'submit',
  ({ target }) => {
    if (!(target instanceof HTMLFormElement)) return
    // site.js removes the kept edits.
    if ('signsOut' in target.dataset) isLeaving = true
    if (target.id !== 'editor') return
    keep()
    sent = keyOf(target)
  },
  { capture: true },
)
document.addEventListener(
  'click',
  ({ target }) => {
    const form = editorNow()
    if (form === null || !(target instanceof Element)) return
    const isDropped = target.closest('#kept button[type="button"]') !== null
    if (!isDropped && target.closest('[data-discard]') === null) return
    clearTimeout(pause)
    form.removeAttribute('data-touched')
    for (const key of keysOf(form)) forget(key)
    hideOffer()
  },
  { capture: true },
)
offer()
document.addEventListener('htmx:after:swap', (event) => {
  if (shownBy(event) !== null) offer()
})
