// @ts-check

import { announce } from '../../parts/site.js'
import { shownBy } from '../parts/dashboard.js'
import { submitAction } from '../parts/live-form.js'

// A new topic has other fields, and the old value makes no sense for it.
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.name.endsWith('.topic')) {
    const at = target.name.slice(0, -'topic'.length)
    const field = (/** @type {string} */ name) => target.form?.elements.namedItem(at + name)
    const [asked, value] = [field('asked'), field('value')]
    if (asked instanceof HTMLInputElement) asked.value = target.value
    if (value instanceof HTMLInputElement || value instanceof HTMLTextAreaElement) value.value = ''
    if (value instanceof HTMLSelectElement) value.replaceChildren(new Option('', ''))
  }
  if (target instanceof HTMLSelectElement && target.dataset.refresh !== undefined) submitAction('refresh')
})

// New conditions on the time use the visitor's time zone.
function setZone() {
  const field = document.querySelector('[data-zone]')
  if (field instanceof HTMLInputElement) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone
}
setZone()

// The browser already knows the names of all time zones.
document.addEventListener('focusin', ({ target }) => {
  const list = target instanceof HTMLInputElement && target.getAttribute('list') === 'zones' ? target.list : null
  if (list === null || list.childElementCount > 1) return
  list.append(...Intl.supportedValuesOf('timeZone').map((zone) => new Option('', zone)))
})

let outcome = ''

document.addEventListener('htmx:after:swap', (event) => {
  setZone()
  const rules = document.getElementById('rules')
  if (document.getElementById('policy') === null) return
  markInvalid()
  if (rules !== null && document.activeElement === document.body) rules.focus({ preventScroll: true })
  const announcement = rules?.dataset.announcement ?? ''
  const now = document.getElementById('outcome')?.textContent ?? ''
  if (announcement !== '') announce(announcement)
  // A whole page, after saving, makes its own announcement.
  else if (now !== outcome && shownBy(event) === null) announce(now)
  if (rules !== null) rules.dataset.announcement = ''
  outcome = now
})

/** Marks fields as invalid if their notes have an error about them, like `field` in parts.tsx. */
function markInvalid() {
  for (const field of document.querySelectorAll('#rules [aria-describedby]')) {
    const state = document.getElementById(field.getAttribute('aria-describedby') ?? '')
    const errors = /** @type {HTMLElement[]} */ ([...(state?.querySelectorAll('.error') ?? [])])
    const isWrong = errors.some(
      ({ dataset: { about } }) => about === undefined || `${field.id}-`.startsWith(`${about}-`),
    )
    if (isWrong) field.setAttribute('aria-invalid', 'true')
    else field.removeAttribute('aria-invalid')
  }
}

// Editing the custom viewer deselects the sample people.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof Element) || target.closest('.custom') === null) return
  document.querySelector('.people [aria-pressed="true"]')?.setAttribute('aria-pressed', 'false')
})

/** Whether there is input that the server has not received. */
let isDirty = false
function isUnsaved() {
  return document.getElementById('policy') !== null && (isDirty || document.querySelector('#unsaved a') !== null)
}
document.addEventListener('input', ({ target }) => {
  if (target instanceof Element && target.closest('#rules') !== null) isDirty = true
})
document.addEventListener('htmx:after:swap', () => {
  isDirty = false
})
window.addEventListener('beforeunload', (event) => {
  if (isUnsaved()) event.preventDefault()
})

// With unsaved input, a link becomes a real navigation, before which the browser asks.
document.addEventListener('htmx:before:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const link = ctx.sourceElement
  if (!(link instanceof HTMLAnchorElement) || !isUnsaved() || link.dataset.discard !== undefined) return
  event.preventDefault()
  location.assign(link.href)
})

// Drags rules by their handles, with a mouse, finger or pen.
document.addEventListener('pointerdown', (event) => {
  const grip = event.target instanceof Element ? event.target.closest('[data-grip]') : null
  const rule = grip?.closest('.rule')
  if (!(rule instanceof HTMLElement) || event.button !== 0) return
  event.preventDefault()
  const list = [...document.querySelectorAll('#rule-list > .rule')]
  const from = list.indexOf(rule)
  let to = from
  rule.classList.add('lifted')
  /** @param {PointerEvent} move */
  const follow = ({ clientY }) => {
    const over = list.findIndex((other) => clientY < other.getBoundingClientRect().bottom)
    to = over === -1 ? list.length - 1 : over
    for (const [at, other] of list.entries()) {
      other.classList.toggle('before', at === to && to < from)
      other.classList.toggle('after', at === to && to > from)
    }
  }
  const end = () => {
    document.removeEventListener('pointermove', follow)
    for (const other of list) other.classList.remove('lifted', 'before', 'after')
  }
  const drop = () => {
    end()
    document.removeEventListener('pointercancel', end)
    if (to !== from) submitAction(`rule.move ${from} ${to}`)
  }
  document.addEventListener('pointermove', follow)
  document.addEventListener('pointerup', drop, { once: true })
  document.addEventListener('pointercancel', end, { once: true })
})
