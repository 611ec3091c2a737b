// @ts-check

// The list of links. Without this script every button sends the form and gets it back changed; with it the same is
// done here, so that nothing that is focused is lost. What is right and wrong is for the server to say.

const { htmx: htmxApi } =
  /** @type {{ htmx: { ajax(verb: string, path: string, options: object): Promise<void> } }} */
  (/** @type {unknown} */ (window))

/** @param {EventTarget | null} target */
function linkOf(target) {
  const row = target instanceof Element ? target.closest('#links > .link-row') : null
  return row instanceof HTMLElement ? row : null
}

/** The rows that would be sent. */
const linksNow = () => [...document.querySelectorAll('#links > .link-row:not(.removed)')]

/** @param {Element} row @param {string} name */
function linkField(row, name) {
  const field = row.querySelector(`[name="${name}"]`)
  return field instanceof HTMLElement && 'value' in field ? /** @type {HTMLInputElement} */ (field) : null
}

/** Opens a row to its fields. @param {Element} row */
function openLink(row) {
  row.querySelector('.link-fold')?.setAttribute('open', '')
}

const TAG = /\s*"((?:[^"]|"")*)"|[^,;|]+/g

/** Shows a text with its blanks, like `Blanks` in blanks.tsx. @param {Element} element @param {string} text */
function writeBlanks(element, text) {
  const names = variableNames()
  const pieces = names.length === 0 ? [text] : text.split(new RegExp(`\\{(${names.join('|')})\\}`))
  element.replaceChildren(
    ...pieces.map((piece, at) => {
      if (at % 2 === 0) return piece
      const blank = document.createElement('span')
      blank.className = 'blank'
      blank.textContent = piece
      return blank
    }),
  )
}

/** Updates a row's line from its fields, like `Line` in link-rows.tsx. @param {Element} row */
function writeLine(row) {
  const [url = '', note = '', tags = ''] = ['url', 'note', 'tags'].map((name) => linkField(row, name)?.value.trim())
  const [called, at, badges] = ['.called', '.at', '.badges'].map((part) => row.querySelector(`.line ${part}`))
  if (!called || !at || !badges) return
  writeBlanks(called, note.split('\n')[0] ?? '')
  writeBlanks(at, url.replace(/^https?:\/\//i, ''))
  /** @type {NodeListOf<HTMLElement>} */
  const marks = badges.querySelectorAll('[data-field]')
  for (const mark of marks) mark.hidden = linkField(row, mark.dataset.field ?? '')?.value !== mark.dataset.value
  const read = [...tags.matchAll(TAG)].map(([bare, quoted]) => (quoted?.replaceAll('""', '"') ?? bare).trim())
  const shown = [...new Set(read)]
    .filter((tag) => tag !== '')
    .map((tag) => {
      const badge = document.createElement('span')
      badge.className = 'tag'
      badge.dir = 'auto'
      badge.textContent = tag
      return badge
    })
  badges.replaceChildren(...marks, ...shown)
}
document.addEventListener('input', ({ target }) => {
  const row = linkOf(target)
  if (row !== null) writeLine(row)
})

/** After the list has changed: names, the server's check, and what is announced. @param {string} announcement */
function listChanged(announcement) {
  for (const [index, row] of linksNow().entries()) {
    const legend = row.querySelector('legend')
    if (legend !== null) legend.textContent = `Link ${index + 1}`
    for (const button of row.querySelectorAll('.moves button')) {
      if (button instanceof HTMLButtonElement) button.value = `${button.value.split('-')[0]}-${index}`
    }
  }
  document.getElementById('links')?.dispatchEvent(new Event('input', { bubbles: true }))
  announce(announcement)
}

/** @param {Element} row */
const linkPlace = (row) => `${linksNow().indexOf(row) + 1} of ${linksNow().length}`

/** @param {Element} row */
const sectionIn = (row) => linkField(row, 'section')?.value.trim() ?? ''

/** A moved link takes the section that it is in, or is next to, like `amid` in buttons.ts. @param {Element} row */
function takeSection(row) {
  const rows = linksNow()
  const at = rows.indexOf(row)
  const beside = [rows[at - 1], rows[at + 1]].filter((other) => other !== undefined).map(sectionIn)
  const field = linkField(row, 'section')
  if (field !== null && !beside.includes(sectionIn(row))) field.value = beside[0] ?? ''
}

/** The section of a link, to be announced. @param {Element} row */
const placeName = (row) => (sectionIn(row) === '' ? '' : `, in ${sectionIn(row)}`)

/** Its neighbours are moved round it, for what is moved itself loses the focus. @param {Element} row @param {string} way */
function moveLink(row, way) {
  const other = way === 'up' ? row.previousElementSibling : row.nextElementSibling
  if (other === null) return announce(`It is the ${way === 'up' ? 'first' : 'last'} link already`)
  if (way === 'up') row.after(other)
  else row.before(other)
  takeSection(row)
  listChanged(`Link moved to ${linkPlace(row)}${placeName(row)}`)
}

document.addEventListener('keydown', (event) => {
  const { target, key, altKey } = event
  const way = { ArrowUp: 'up', ArrowDown: 'down' }[key]
  // In fields these keys open a list, or move in the text.
  const row = target instanceof Element && target.closest('summary, button') !== null ? linkOf(target) : null
  if (!altKey || way === undefined || row === null) return
  event.preventDefault()
  moveLink(row, way)
  if (target instanceof HTMLElement) target.scrollIntoView({ block: 'nearest' })
})

/** @param {HTMLElement} row */
function removeLink(row) {
  const name = linkField(row, 'note')?.value.split('\n')[0] || linkField(row, 'url')?.value || 'a link'
  putAside(row, name, (isBack) => {
    if (isBack) row.querySelector('summary')?.focus()
    listChanged(isBack ? `Put back as link ${linkPlace(row)}` : 'Link removed. It can be put back.')
  })
}

/**
 * Leaves a row out of what is sent; it can be put back until the page is left.
 * @param {HTMLElement} row @param {string} called what it is called @param {(isBack: boolean) => void} changed
 */
function putAside(row, called, changed) {
  const fieldset = row.querySelector('fieldset')
  if (fieldset === null) return
  fieldset.disabled = true
  row.classList.add('removed')
  const gone = document.createElement('p')
  gone.className = 'gone'
  const name = document.createElement('bdi')
  name.textContent = `Removed: ${called}`
  const back = document.createElement('button')
  back.type = 'button'
  back.className = 'small'
  back.textContent = 'Put back'
  back.addEventListener('click', () => {
    gone.remove()
    fieldset.disabled = false
    row.classList.remove('removed')
    changed(true)
  })
  gone.append(name, back)
  row.append(gone)
  back.focus()
  changed(false)
}

/** @type {Promise<boolean>} */
let adding = Promise.resolve(true)

/**
 * Puts the links of a text, as the server reads it, after a row and in place of empty ones. One text after another, because
 * an earlier one may replace the row that a later one is for.
 * @param {string} text @param {Element | null} [after]
 * @returns {Promise<boolean>} whether there are rows of it now.
 */
function addLinks(text, after) {
  adding = adding.then(() => placeLinks(text, after?.isConnected ? after : null)).catch(() => false)
  return adding
}

/** Whether the launcher has icons, as the form says now. */
function showsIcons() {
  const box = document.querySelector('#editor [type="checkbox"][name="icons"]')
  return !(box instanceof HTMLInputElement) || box.checked
}

/** @param {string} text @param {Element | null} after */
async function placeLinks(text, after) {
  const list = document.getElementById('links')
  if (list === null) return false
  const before = new Set(list.children)
  await htmxApi.ajax('POST', list.dataset.rows ?? '', {
    values: { text, icons: showsIcons() ? '' : 'no' },
    target: after ?? list,
    swap: after === null ? 'beforeend' : 'afterend',
  })
  const added = [...list.children].filter((row) => !before.has(row))
  const last = added.at(-1)
  if (last === undefined) return false
  // As `isEmptyLink`: a new row has the section of its neighbour, and every list has a chosen option.
  const isEmpty = (/** @type {Element} */ row) =>
    [.../** @type {NodeListOf<HTMLInputElement>} */ (row.querySelectorAll('.fields :is(input, textarea)'))].every(
      ({ name, value }) => name === 'section' || value.trim() === '',
    )
  if (text !== '') for (const row of before) if (isEmpty(row)) row.remove()
  for (const row of added) writeLine(row)
  openLink(last)
  linkField(last, 'url')?.focus()
  void suggestTitles(added)
  void findSeen(added)
  listChanged(added.length === 1 ? `Link ${linkPlace(last)} added` : `${added.length} links added`)
  return true
}

document.addEventListener('click', (event) => {
  const button =
    event.target instanceof Element
      ? event.target.closest('#editor .links button[name="do"]:not(.offer *, [value="section"])')
      : null
  if (!(button instanceof HTMLButtonElement)) return
  event.preventDefault()
  const [action = ''] = button.value.split('-')
  const row = linkOf(button)
  if (row !== null) return action === 'remove' ? removeLink(row) : moveLink(row, action)
  const more = document.getElementById('more')
  if (action === 'add' || !(more instanceof HTMLTextAreaElement)) return void addLinks('')
  void addPasted(more)
})

// Several lines pasted into one field are several links.
document.addEventListener('paste', (event) => {
  const { target, clipboardData } = event
  const row = linkOf(target)
  if (row === null || !(target instanceof HTMLInputElement) || target.name !== 'url') return
  const text = clipboardData?.getData('text/plain').trim() ?? ''
  if (!/[\r\n]/.test(text)) return
  event.preventDefault()
  addLinks(text, row)
})

// Links that are dragged here from elsewhere.
document.addEventListener('dragover', (event) => {
  const isOverList = event.target instanceof Element && event.target.closest('#editor .links') !== null
  if (isOverList && event.dataTransfer?.types.includes('text/uri-list')) event.preventDefault()
})
document.addEventListener('drop', (event) => {
  const text = event.dataTransfer?.getData('text/uri-list') ?? ''
  if (text === '' || !(event.target instanceof Element) || event.target.closest('#editor .links') === null) return
  event.preventDefault()
  addLinks(text.replace(/^#.*$/gm, ''))
})
