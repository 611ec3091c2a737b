// @ts-check

// The block of variables, and what the links and texts of the form have of them. Without this script every button sends
// the form and gets it back changed.

/** The rows that would be sent. */
const variablesNow = () => [...document.querySelectorAll('#variables > .variable:not(.removed)')]

/** @param {Element} row @param {string} name */
const variableField = (row, name) => linkField(row, `variables.${name}`)

/** @param {Element} row */
const nameOf = (row) => variableField(row, 'name')?.value.trim() ?? ''

/** The names that places can have. */
const variableNames = () => variablesNow().map(nameOf).filter(isName)

/** @param {string} name */
function isName(name) {
  return /^\w+$/.test(name)
}

/** The fields of the form in which variables have their places. */
const PLACES =
  '.about :is([name="title"], [name="description"]), ' +
  '#links .fields :is([name="url"], [name="note"], [name="section"])'

/** @returns {NodeListOf<HTMLInputElement | HTMLTextAreaElement>} */
const placeFields = () => document.querySelectorAll(PLACES)

/** Writes something else in all links and texts, also in those that can be put back. @param {string} from @param {string} to */
function writePlaces(from, to) {
  for (const field of placeFields()) field.value = field.value.replaceAll(from, to)
  updateSections()
}

/** After the block has changed: numbers, lines, the server's check, and what is announced. @param {string} announcement */
function variablesChanged(announcement) {
  const rows = variablesNow()
  for (const [index, row] of rows.entries()) {
    const [legend, button] = [row.querySelector('legend'), row.querySelector('button[name="do"]')]
    if (legend !== null) legend.textContent = `Variable ${index + 1}`
    if (button instanceof HTMLButtonElement) button.value = `forget-${index}`
  }
  const add = document.querySelector('.variables button[value="variable"]')
  const most = Number(document.getElementById('new-variable')?.dataset.most)
  if (add instanceof HTMLElement) add.hidden = rows.length >= most
  for (const row of linksNow()) writeLine(row)
  document.getElementById('variables')?.dispatchEvent(new Event('input', { bubbles: true }))
  announce(announcement)
}

let variablesAdded = 0

/** A new row, with a name that has its places already or without one. @param {string} name */
function addVariable(name) {
  const template = document.getElementById('new-variable')
  const list = document.getElementById('variables')
  if (template === null || list === null) return
  variablesAdded += 1
  list.insertAdjacentHTML('beforeend', template.innerHTML.replaceAll('variable-new', `variable-new${variablesAdded}`))
  const row = list.lastElementChild
  if (row === null) return
  const [named, placed] = [variableField(row, 'name'), variableField(row, 'placed')]
  if (named !== null) named.value = name
  if (placed !== null) placed.value = name
  variableField(row, name === '' ? 'name' : 'label')?.focus()
  variablesChanged(name === '' ? 'Variable added' : `${name} is a variable now`)
}

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('#editor button[name="do"]') : null
  if (!(button instanceof HTMLButtonElement)) return
  const row = button.closest('.variable')
  if (row instanceof HTMLElement) {
    event.preventDefault()
    const name = nameOf(row)
    row.querySelector('.menu')?.removeAttribute('open')
    putAside(row, name || 'a variable', (isBack) => {
      if (isBack) variableField(row, 'name')?.focus()
      variablesChanged(isBack ? `${name} is back` : 'Variable removed. It can be put back.')
    })
  } else if (button.value === 'variable') {
    event.preventDefault()
    addVariable('')
  } else if (button.closest('.offer') !== null) {
    event.preventDefault()
    takeOffer(button.value.replace('declare-', ''))
  }
})

/** @typedef {{ written: string, name: string, links: number[], says: string }} VariableOffer */

/** What the server found last. @type {VariableOffer[]} */
let offersNow = []

/** @param {string} written */
function takeOffer(written) {
  const offer = offersNow.find((one) => one.written === written)
  const name = offer?.name ?? written.slice(1, -1)
  if (written !== `{${name}}`) writePlaces(written, `{${name}}`)
  showOffers(offersNow.filter((one) => one !== offer))
  if (!variableNames().includes(name)) return addVariable(name)
  variablesChanged(`The links have ${name} now`)
}

/** Shows what could become a variable, at the first link that has it. @param {VariableOffer[]} offers */
function showOffers(offers) {
  if (JSON.stringify(offers) === JSON.stringify(offersNow)) return
  const fresh = offers.filter(({ written }) => offersNow.every((known) => known.written !== written))
  offersNow = offers
  for (const [index, row] of linksNow().entries()) {
    for (const line of row.querySelectorAll('.offer')) line.remove()
    row.querySelector('.link-fold')?.after(...offers.filter(({ links }) => links[0] === index).map(offerLine))
  }
  if (fresh.length > 0) announce(fresh.map(({ says }) => says).join(' '))
}

/** As `Offers` in offers.tsx. @param {VariableOffer} offer */
function offerLine({ written, says }) {
  const line = document.createElement('p')
  line.className = 'offer'
  const button = document.createElement('button')
  button.name = 'do'
  button.value = `declare-${written}`
  button.className = 'small'
  button.textContent = says
  line.append(button)
  return line
}

// A variable whose name was changed is renamed wherever it stands. Rules are renamed when the form is saved.
document.addEventListener('change', ({ target }) => {
  const row = target instanceof Element ? target.closest('#variables > .variable') : null
  if (row === null || !(target instanceof HTMLInputElement) || target.name !== 'variables.name') return
  const [placed, to] = [variableField(row, 'placed'), target.value.trim()]
  const others = variablesNow().filter((other) => other !== row)
  const isFree = others.every((other) => nameOf(other) !== to && variableField(other, 'placed')?.value !== to)
  if (placed === null || to === '' || target.validity.patternMismatch || !isFree || placed.value === to) return
  if (placed.value !== '') writePlaces(`{${placed.value}}`, `{${to}}`)
  placed.value = to
  variablesChanged('')
})

// What the server found goes where it belongs.
document.addEventListener('htmx:after:swap', (event) => {
  const found = checkedIn(event)
  if (found === null) return
  const { errors, variables } = found
  showOffers(variables.offers)
  for (const [index, row] of variablesNow().entries()) {
    const uses = row.querySelector('.uses')
    if (uses !== null) uses.textContent = variables.uses[index] ?? ''
    for (const field of row.querySelectorAll('[id][name]')) {
      if (!(field instanceof HTMLElement)) continue
      const name = field.getAttribute('name')?.replace('variables.', '')
      const error = errors.find((one) => one.variable === index && one.field === name)
      if (error !== undefined && !field.hasAttribute('aria-describedby'))
        field.closest('details')?.setAttribute('open', '')
      updateFieldError(field, error)
    }
  }
  const caption = document.getElementById('preview-with')
  if (caption === null) return
  caption.hidden = variables.examples.length === 0
  const example = caption.querySelector('.blank')
  if (example !== null) example.textContent = variables.examples.join(', ')
})

// A page that comes with offers shows them already.
function readOffers() {
  const known = document.querySelector('#check [data-variables]')
  if (known instanceof HTMLElement) offersNow = JSON.parse(known.dataset.variables ?? '{}').offers ?? []
}
readOffers()
document.addEventListener('htmx:after:swap', (event) => {
  if (swappedPage(event) !== null) readOffers()
})
