// @ts-check
import { latest } from '../../parts/site.js'

// Looked up when needed, because every page has new dialogs.
const dialogOf = (/** @type {string} */ id) =>
  /** @type {HTMLDialogElement | null} */ (document.querySelector(`dialog#${id}`))
const options = () =>
  /** @type {HTMLElement[]} */ ([...document.querySelectorAll('#palette-list [role=option]:not([hidden])')])

/** @type {Record<string, () => void>} */
const SINGLE_KEYS = {
  '/': () => {
    const search = document.getElementById('q')
    if (search === null) openDialog('palette')
    else search.focus()
  },
  n: () => {
    const page = document.querySelector('#palette-list [data-key=n]')
    if (page instanceof HTMLElement) follow(page)
  },
  '?': () => openDialog('shortcuts'),
}

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event
  if (event.isComposing || event.repeat || event.defaultPrevented) return
  const isModified = ctrlKey || metaKey || altKey
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') {
    event.preventDefault()
    openDialog('palette')
  } else if (!isModified && Object.hasOwn(SINGLE_KEYS, key) && !isTyping(target) && areSingleKeysOn()) {
    event.preventDefault()
    SINGLE_KEYS[key]?.()
  }
})

/** @param {EventTarget | null} target */
function isTyping(target) {
  const fields = 'input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]'
  return target instanceof Element && target.closest(fields) !== null
}

/** Single-key shortcuts can be turned off: speech input would trigger them by accident (WCAG 2.1.4). */
function areSingleKeysOn() {
  return localStorage.getItem('single-keys') !== 'off'
}

/** @param {string} id */
function openDialog(id) {
  const dialog = dialogOf(id)
  if (dialog === null || dialog.open) return
  for (const other of document.querySelectorAll('dialog[open]')) /** @type {HTMLDialogElement} */ (other).close()
  dialog.showModal()
  const single = document.getElementById('single-keys')
  if (single instanceof HTMLInputElement) single.checked = areSingleKeysOn()
  const field = dialog.querySelector('[role=combobox]')
  if (!(field instanceof HTMLInputElement)) return
  field.value = ''
  const list = document.getElementById('palette-list')
  if (list !== null) Object.assign(list, { role: 'listbox', ariaLabel: 'Results' })
  void find('')
}

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element)) return
  const opener = target.closest('[data-opens]')
  if (opener instanceof HTMLElement) openDialog(opener.dataset.opens ?? '')
  // A click on the backdrop.
  if (target instanceof HTMLDialogElement) target.close()
  const option = target.closest('#palette-list [role=option]')
  if (option instanceof HTMLElement) follow(option)
})
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.id !== 'single-keys') return
  localStorage.setItem('single-keys', target.checked ? 'on' : 'off')
})
document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && target.id === 'palette-q') void find(target.value.trim())
})
document.addEventListener('keydown', (event) => {
  const { key, target } = event
  if (!(target instanceof Element) || target.id !== 'palette-q') return
  // Safari reports the key that ends a composition only by its code.
  if (event.isComposing || event.keyCode === 229) return
  const [all, at] = [options(), options().findIndex((option) => option.ariaSelected === 'true')]
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[key]
  if (to !== undefined) select(all.at(to % all.length))
  else if (key !== 'Enter') return
  else if (all[at] !== undefined) follow(all[at])
  event.preventDefault()
})

/** @param {HTMLElement} option */
function follow({ dataset: { href, workspace } }) {
  dialogOf('palette')?.close()
  if (href !== undefined) location.assign(href)
  for (const choice of document.querySelectorAll('.subjects button[name=organizationId]')) {
    if (choice instanceof HTMLButtonElement && choice.value === workspace) choice.click()
  }
}

/** @param {HTMLElement | undefined} option */
function select(option) {
  // Includes hidden options, which may have been selected before.
  for (const other of document.querySelectorAll('#palette-list [role=option]')) {
    other.ariaSelected = String(other === option)
  }
  option?.scrollIntoView({ block: 'nearest' })
  document.getElementById('palette-q')?.setAttribute('aria-activedescendant', option?.id ?? '')
}

const latestFind = latest(150)

/** Shows matches: pages and workspaces at once, bundles when the server answers. @param {string} text */
async function find(text) {
  const list = document.getElementById('palette-list')
  for (const found of list?.querySelectorAll('[data-found]') ?? []) found.remove()
  for (const option of /** @type {NodeListOf<HTMLElement>} */ (list?.querySelectorAll('[role=option]') ?? [])) {
    option.hidden = !option.textContent?.toLowerCase().includes(text.toLowerCase())
  }
  select(options()[0])
  const signal = await latestFind()
  if (signal.aborted) return
  const query = new URLSearchParams({ limit: '8', sort: 'updated', ...(text === '' ? {} : { q: text }) })
  const answer = await fetch(`/api/me/links?${query}`, { signal }).catch(() => null)
  const { bundles = [] } = answer?.ok ? await answer.json().catch(() => ({})) : {}
  if (signal.aborted) return
  const { bundle = '' } = list?.dataset ?? {}
  const icon = list?.querySelector('[data-icon=bundles] > .icon')
  for (const { slug, title, urls } of bundles) {
    const option = document.createElement('div')
    option.id = `palette-to-${slug}`
    option.className = 'item'
    option.setAttribute('role', 'option')
    option.tabIndex = -1
    option.dataset.href = bundle.replace('{slug}', slug)
    option.dataset.found = ''
    const name = document.createElement('span')
    name.dir = 'auto'
    name.textContent = title ?? urls[0]
    option.append(icon?.cloneNode(true) ?? '', name)
    list?.append(option)
  }
  const [first] = options()
  if (!options().some((option) => option.ariaSelected === 'true')) select(first)
  const count = document.getElementById('palette-count')
  const number = options().length
  if (count !== null) count.textContent = number === 0 ? 'Nothing found' : `${number} result${number === 1 ? '' : 's'}`
}
