// @ts-check

// Typing `{` in a link or text offers the names of the variables, as a list that the arrow keys choose from.

/** @typedef {HTMLInputElement | HTMLTextAreaElement} PlaceField */

/** The open list, the field that it is for, and the place in its text that is replaced. */
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
  const names = variableNames().filter((name) => name.startsWith(typed) && !(name === typed && rest.startsWith('}')))
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
  const row = variablesNow().find((one) => nameOf(one) === name)
  label.textContent = row === undefined ? '' : (variableField(row, 'label')?.value ?? '')
  option.append(shown, label)
  option.dataset.name = name
  return option
}

/** Below the field, or above it where there is no room. @param {PlaceField} field @param {HTMLElement} list */
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

/** Writes a name in braces where it was begun. @param {string} name */
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

/** What a key does while the list is open; undefined for keys that are typed. @type {Record<string, () => void>} */
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
