// @ts-check
import './open-all.js'
import { checkLinks } from '../../../src/core/fixed-links.js'
import { fillLink, isComplete, meantBy, namesIn, qrProblem, queryOf, readValues } from '../../../src/core/template.js'
import { copyText } from '../../parts/copy.js'
// For launchers with variables: fills in the page as somebody types, and asks for missing values before anything opens.
import { clearFieldError, fieldErrorOf, showFieldError } from '../../parts/error-line.js'
import { ownLinks } from './actions.js'
import { announce } from './announce.js'

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const form = /** @type {HTMLFormElement} */ (main.querySelector('.ask'))
const given = /** @type {HTMLElement | null} */ (main.querySelector('.given'))
const open = /** @type {HTMLButtonElement} */ (main.querySelector('#open'))
const copy = /** @type {HTMLButtonElement} */ (main.querySelector('#copy-values'))
const qr = /** @type {HTMLElement} */ (main.querySelector('.qr'))
const inQr = /** @type {HTMLElement} */ (main.querySelector('#in-qr'))
const inQrSays = inQr.textContent
const heading = /** @type {HTMLElement} */ (main.querySelector('h1'))
const siteName = document.title.slice(document.title.lastIndexOf(' · '))
// Not by the form's properties, because a variable may be called `action`.
const fields = /** @type {Control[]} */ ([...form.querySelectorAll('[name]')])
const names = fields.map(({ name }) => name)
const variables = fields.map((field) => {
  if (field instanceof HTMLInputElement)
    return { name: field.name, default: field.required ? undefined : field.placeholder }
  // A sent value that is not an option is disabled.
  const options = [...field.options].filter(({ value, disabled }) => value !== '' && !disabled)
  return { name: field.name, options: options.map(({ value }) => value) }
})
const tabs = /** @type {HTMLAnchorElement[]} */ ([...main.querySelectorAll('a.tab[data-link]')])
const templates = tabs.map(({ dataset }) => dataset.link ?? '')

/** @param {(field: Control) => string} textOf */
const fillingOf = (textOf) => {
  const texts = new Map(fields.map((field) => [field.name, textOf(field)]))
  return checkLinks(
    readValues(variables, (name) => texts.get(name)),
    templates,
  )
}
// From the served values, because browsers restore typed text after a reload.
const served = fillingOf((field) => {
  if (field instanceof HTMLInputElement) return field.defaultValue
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? ''
})
let filling = served
/** The values in the address bar. */
let addressed = JSON.stringify(served.sent)

/** Whether only the server can decide which tabs there are: rules read a value that differs from the served one. */
const isUndecided = () =>
  fields.some(({ name, dataset }) => 'decides' in dataset && filling.values[name] !== served.values[name])

/** The values for the tabs: none while it is undecided which tabs there are. */
const valuesOfTabs = () => (isUndecided() ? Object.create(null) : filling.values)
const stateOf = () => JSON.stringify([isUndecided(), valuesOfTabs()])
let shown = stateOf()

/** @param {string} search the query to which the values are added. */
const withValues = (search) => {
  const query = new URLSearchParams(search)
  for (const key of [...query.keys()]) if (names.includes(meantBy(key))) query.delete(key)
  for (const name of names) {
    const text = filling.sent[name]
    if (text !== undefined) query.append(name, text)
  }
  return `${query}` === '' ? '' : `?${query}`
}
// A viewer who came by a short path stays on it.
const short = `/${main.dataset.slug}`
const page = form.getAttribute('action') ?? ''
const address = () => (location.pathname.startsWith(short) ? short : page) + withValues(location.search)

const paint = () => {
  const ofTabs = valuesOfTabs()
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll('[data-variable]'))) {
    const name = place.dataset.variable ?? ''
    const value = (place.closest('.tabs') === null ? filling.values : ofTabs)[name]
    const text = value ?? `{${name}}`
    if (place.textContent === text) continue
    place.textContent = text
    place.className = value === undefined ? 'blank' : 'value'
    // A placeholder in an address is read out as it is.
    if (value === undefined && place.closest('.where') === null) {
      place.setAttribute('role', 'img')
      place.setAttribute('aria-label', fields[names.indexOf(name)]?.labels?.[0]?.textContent ?? name)
    } else {
      place.removeAttribute('role')
      place.removeAttribute('aria-label')
    }
  }
  for (const [at, tab] of tabs.entries()) {
    const link = templates[at] ?? ''
    if (namesIn(link, names).every((name) => name in ofTabs)) {
      tab.href = new URL(fillLink(link, ofTabs)).href
      tab.target ||= '_blank'
      tab.rel = 'noopener noreferrer'
    } else {
      tab.removeAttribute('href')
    }
  }
  document.title = heading.textContent + siteName
  form.classList.toggle('filled', isComplete(filling))
}

/** @type {Set<EventTarget | null>} Fields that somebody has typed into. */
const typed = new Set()

/** The value of a field: the sent value until it is edited, because the field itself drops line breaks. @param {Control} field */
const textIn = (field) => {
  const sent = field instanceof HTMLInputElement ? field.defaultValue : field.value
  return !typed.has(field) && field.value === sent.replace(/[\r\n]/g, '') ? sent : field.value
}

const fill = () => {
  filling = fillingOf(textIn)
  // An error that is already shown is updated; typing shows no new errors.
  for (const field of fields) if (problemOf(field) === null || fieldErrorOf(field)) showProblem(field, problemOf(field))
  paint()
  if (shown === stateOf()) return
  shown = stateOf()
  document.dispatchEvent(new Event('filled'))
  if (!isUndecided()) return
  open.textContent = 'Show tabs'
  delete open.dataset.count
}

/** Adds complete values to the addresses for a reload, the bookmarks file, the QR code and a copy. */
const keep = () => {
  const sent = JSON.stringify(filling.sent)
  const isOwn = sent === addressed
  if (isComplete(filling) && !isOwn) {
    addressed = sent
    history.replaceState(history.state, '', address())
  }
  for (const link of ownLinks()) {
    if (link.protocol !== 'data:') link.search = withValues(link.search)
    // After a password, the file and the code are embedded in the page, with the values that it was served with.
    else link.hidden = qr.hidden = sent !== JSON.stringify(served.sent)
  }
  const picture = qr.querySelector('img')
  const query = queryOf(filling)
  inQr.hidden = query === ''
  // After a password, the page shows the served text about its own values.
  if (picture === null) return
  const was = picture.getAttribute('src') ?? ''
  const src = was.replace(/\?.*/, '') + query
  if (was !== src) picture.src = src
  const problem = qrProblem(location.origin + page + query)
  picture.hidden = problem !== null
  inQr.textContent = problem ?? inQrSays
}

/** The error of a field; null if there is none. @param {Control} field */
const problemOf = (field) => {
  const { name } = field
  const wrong = filling.invalid.find((one) => one.name === name)
  if (wrong !== undefined) return wrong.message
  if (!filling.missing.includes(name)) return null
  return field instanceof HTMLInputElement ? 'Fill this in first.' : 'Choose one first.'
}

/** @param {Control} field @param {string | null} problem */
const showProblem = (field, problem) => {
  if (problem === null) clearFieldError(field)
  else showFieldError(field, problem)
  // Every field is also described by the hint.
  field.setAttribute('aria-describedby', problem === null ? 'fills' : `${field.id}-error fills`)
}

/** @param {Control | undefined} field */
const edit = (field) => {
  form.classList.remove('folded')
  if (given !== null) given.hidden = true
  form.querySelector('.after')?.append(copy)
  field?.focus()
  if (field instanceof HTMLInputElement) field.select()
}

/** Whether all values are given and the tabs are decided; otherwise asks the viewer or the server. */
const isReady = () => {
  fill()
  keep()
  for (const field of fields) showProblem(field, problemOf(field))
  const wrong = fields.find((field) => problemOf(field) !== null)
  if (wrong !== undefined) edit(wrong)
  else if (isUndecided()) location.assign(address())
  else return true
  return false
}

form.noValidate = true
form.addEventListener('input', ({ target }) => {
  typed.add(target)
  fill()
})
form.addEventListener('change', () => {
  fill()
  keep()
  for (const field of fields) if (!filling.missing.includes(field.name)) showProblem(field, problemOf(field))
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (isReady() && !open.hidden) open.click()
})

// During capture, before the listeners of the clicked element.
main.addEventListener(
  'click',
  (event) => {
    const { target } = event
    if (!(target instanceof Element)) return
    const isFile = target.closest('#bookmarks') !== null
    if (!isFile && target.closest('#open, #copy, .part, a.tab:not([href])') === null) return
    // The server makes the file, and knows which tabs there are.
    if (isFile && isUndecided() && isComplete(filling)) return
    if (isReady()) return
    event.preventDefault()
    event.stopPropagation()
  },
  true,
)
given?.addEventListener('click', (event) => {
  const pick = event.target instanceof Element ? event.target.closest('a') : null
  if (pick === null) return
  event.preventDefault()
  edit(fields.find(({ id }) => pick.hash === `#${id}`))
})
copy.addEventListener('click', async () => {
  const isCopied = await copyText(location.origin + address())
  announce(isCopied ? 'The link is copied, with the values in it.' : 'Your browser blocked copying.')
})

/** Keeps the rows as high as they are. */
const hold = () => {
  const texts = /** @type {NodeListOf<HTMLElement>} */ (
    main.querySelectorAll('.tabs :is(.name, .where, .note):has([data-variable])')
  )
  for (const text of texts) {
    text.style.cssText = ''
    const height = text.clientHeight
    const lines = Math.round(height / parseFloat(getComputedStyle(text).lineHeight))
    text.style.cssText = `height:${height}px;-webkit-line-clamp:${lines}`
  }
}

fill()
keep()
hold()
addEventListener('resize', hold)
addEventListener('pageshow', fill)
// Only where no on-screen keyboard would cover half of the page.
if (!isComplete(filling) && matchMedia('(pointer: fine)').matches && document.activeElement === document.body) {
  fields.find((field) => problemOf(field) !== null)?.focus({ preventScroll: true })
}
