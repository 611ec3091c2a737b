// @ts-check

import { announce } from '../../../parts/site.js'
import { fieldIn } from './link-list.js'

// Typing `{` in a link or text offers the names of the variables, in a list for the arrow keys.

/** The form's fields that may contain placeholders. */
const PLACES =
  '.about :is([name="title"], [name="description"]), ' +
  '#links .fields :is([name="url"], [name="note"], [name="section"])'

/** The labels of the form’s variables, by name. */
function labelsNow() {
  const rows = [...document.querySelectorAll('#variables > .variable:not(.removed)')]
  const labels = rows.map(
    (row) =>
      /** @type {const} */ ([
        fieldIn(row, 'variables.name')?.value.trim() ?? '',
        fieldIn(row, 'variables.label')?.value ?? '',
      ]),
  )
  return new Map(labels.filter(([name]) => /^\w+$/.test(name)))
}

/** @typedef {HTMLInputElement | HTMLTextAreaElement} PlaceField */

/** The open list, its field, and the range of text to replace. */
/** @type {{ list: HTMLElement, field: PlaceField, from: number, to: number } | null} */
let offeredNames = null

/** @param {EventTarget | null} target @returns {PlaceField | null} */
function placeFieldOf(target) {
  return target instanceof Element && target.matches(PLACES) ? /** @type {PlaceField} */ (target) : null
}

/** @param {PlaceField} field */
function offerNames(field) {
  closeNames()
  const caret = field.selectionStart ?? 0
  const rest = field.value.slice(caret)
  const [, typed] = /(?:^|[^{$])\{(\w*)$/.exec(field.value.slice(0, caret)) ?? []
  if (typed === undefined) return
  const names = [...labelsNow().keys()].filter(
    (name) => name.startsWith(typed) && !(name === typed && rest.startsWith('}')),
  )
  if (names.length === 0) return
  const list = document.createElement('ul')
  list.className = 'names-offered'
  list.id = 'names-offered'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Variables')
  list.append(...names.map(nameOption))
  document.body.append(list)
  offeredNames = { list, field, from: caret - typed.length - 1, to: caret + (rest.startsWith('}') ? 1 : 0) }
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  placeNames(field, list)
  chooseName(0)
  announce(`${names.length === 1 ? '1 variable' : `${names.length} variables`}: arrow keys choose, Enter writes it`)
}

/** @param {string} name @param {number} index */
function nameOption(name, index) {
  const option = document.createElement('li')
  option.id = `name-offered-${index}`
  option.setAttribute('role', 'option')
  const [shown, label] = [document.createElement('span'), document.createElement('span')]
  shown.className = 'blank'
  shown.textContent = name
  label.className = 'hint'
  label.dir = 'auto'
  label.textContent = labelsNow().get(name) ?? ''
  option.append(shown, label)
  option.dataset.name = name
  return option
}

/** Places the list below the field, or above it if there is no room. @param {PlaceField} field @param {HTMLElement} list */
function placeNames(field, list) {
  const { left, top, bottom } = field.getBoundingClientRect()
  const { height, width } = list.getBoundingClientRect()
  const isBelow = bottom + height + 4 <= window.innerHeight || top < height
  list.style.top = `${window.scrollY + (isBelow ? bottom + 4 : top - height - 4)}px`
  list.style.left = `${Math.max(0, Math.min(left, document.documentElement.clientWidth - width - 8)) + window.scrollX}px`
}

/** @param {number} at */
function chooseName(at) {
  if (offeredNames === null) return
  const { list, field } = offeredNames
  for (const [index, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(index === at))
  field.setAttribute('aria-activedescendant', list.children[at]?.id ?? '')
}

const namesOffered = () => /** @type {HTMLElement[]} */ ([...(offeredNames?.list.children ?? [])])
const chosenName = () => namesOffered().findIndex((option) => option.getAttribute('aria-selected') === 'true')

function closeNames() {
  if (offeredNames === null) return
  offeredNames.list.remove()
  for (const name of ['autocomplete', 'controls', 'activedescendant'])
    offeredNames.field.removeAttribute(`aria-${name}`)
  offeredNames = null
}

/** Inserts a name in braces where it was begun. @param {string} name */
function writeName(name) {
  if (offeredNames === null) return
  const { field, from, to } = offeredNames
  closeNames()
  field.setRangeText(`{${name}}`, from, to, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

document.addEventListener('input', ({ target }) => {
  const field = placeFieldOf(target)
  if (field !== null && document.activeElement === field) offerNames(field)
})
document.addEventListener('focusout', closeNames)
document.addEventListener('pointerdown', (event) => {
  const option = event.target instanceof Element ? event.target.closest('#names-offered > li') : null
  if (!(option instanceof HTMLElement)) return closeNames()
  // The field keeps the focus.
  event.preventDefault()
  writeName(option.dataset.name ?? '')
})

/** Key handlers while the list is open; other keys type. @type {Record<string, () => void>} */
const NAME_KEYS = {
  ArrowDown: () => chooseName((chosenName() + 1) % namesOffered().length),
  ArrowUp: () => chooseName((chosenName() || namesOffered().length) - 1),
  Enter: () => writeName(namesOffered()[chosenName()]?.dataset.name ?? ''),
  Tab: () => NAME_KEYS.Enter?.(),
  Escape: closeNames,
}
document.addEventListener(
  'keydown',
  (event) => {
    const act =
      offeredNames === null || event.altKey || event.ctrlKey || event.metaKey ? undefined : NAME_KEYS[event.key]
    if (act === undefined || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    act()
  },
  { capture: true },
)
