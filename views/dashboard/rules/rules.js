// @ts-check

/** The form of the rules page, where that is the page. */
function rulesForm() {
  const form = document.getElementById('policy')
  return form instanceof HTMLFormElement ? form : null
}

/**
 * Sends the form as a button with this value would.
 * @param {string} action
 */
function pressInRules(action) {
  const form = rulesForm()
  const button = form?.querySelector('button[value="refresh"]')
  if (form === null || !(button instanceof HTMLButtonElement)) return
  button.value = action
  form.requestSubmit(button)
  button.value = 'refresh'
}

// What a condition asks about decides which fields it has, and takes the value of what it asked before with it.
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.name.endsWith('.subject')) {
    const at = target.name.slice(0, -'subject'.length)
    const field = (/** @type {string} */ name) => target.form?.elements.namedItem(at + name)
    const [asked, value] = [field('asked'), field('value')]
    if (asked instanceof HTMLInputElement) asked.value = target.value
    if (value instanceof HTMLInputElement || value instanceof HTMLTextAreaElement) value.value = ''
    if (value instanceof HTMLSelectElement) value.replaceChildren(new Option('', ''))
  }
  if (target instanceof HTMLSelectElement && target.dataset.refresh !== undefined) pressInRules('refresh')
})

// New conditions on the time go by the reader's own clock.
function tellZone() {
  const field = document.querySelector('[data-zone]')
  if (field instanceof HTMLInputElement) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone
}
tellZone()

// The names of all time zones are known to the browser already.
document.addEventListener('focusin', ({ target }) => {
  const list = target instanceof HTMLInputElement && target.getAttribute('list') === 'zones' ? target.list : null
  if (list === null || list.childElementCount > 1) return
  list.append(...Intl.supportedValuesOf('timeZone').map((zone) => new Option('', zone)))
})

/** @param {HTMLFormElement} form */
function fieldsOf(form) {
  const text = new URLSearchParams()
  for (const [name, value] of new FormData(form)) text.append(name, String(value))
  return text.toString()
}

/**
 * What of the form is under way, and the fields it was made from.
 * @type {{ ctx: unknown, action: string, fields: string } | null}
 */
let underWay = null
/** What a check was made from, by its request. @type {WeakMap<object, string>} */
const checked = new WeakMap()
/** What was pressed for once an answer is there. @type {string[]} */
let pressedMeanwhile = []

document.addEventListener('htmx:config:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = rulesForm()
  if (form === null || (ctx.sourceElement !== form && ctx.sourceElement.id !== 'check')) return
  const action = String(ctx.request.body.get('do'))
  const fields = fieldsOf(form)
  if (underWay !== null && !mayReplace(action, underWay.action)) {
    // Places are those of before the answer, so a second press on one of them waits for nothing.
    if (ctx.sourceElement === form && action !== 'refresh' && !/\d/.test(action)) pressedMeanwhile = [action]
    event.preventDefault()
  } else if (ctx.sourceElement === form) {
    underWay = { ctx, action, fields }
    // An answer to what was there before would be put beside what comes now.
    document.getElementById('check')?.dispatchEvent(new CustomEvent('htmx:abort'))
    form.inert = action === 'save'
  } else checked.set(ctx, fields)
})

/**
 * Whether what is pressed makes an answer needless that is under way: nothing is lost with one that changes nothing.
 * @param {string} action @param {string} current
 */
function mayReplace(action, current) {
  return current === 'refresh' && action !== 'refresh' && action !== 'check'
}

// Who typed on while an answer was under way would lose that: it is asked for once more, with all of it.
document.addEventListener('htmx:before:swap', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = rulesForm()
  const isOfForm = ctx === underWay?.ctx
  const fields = isOfForm ? underWay?.fields : checked.get(ctx)
  if (form === null || fields === undefined || fieldsOf(form) === fields) return
  if (isOfForm && underWay?.action === 'save') return
  event.preventDefault()
  if (isOfForm && underWay !== null) pressedMeanwhile.unshift(underWay.action)
})

document.addEventListener('htmx:finally:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  if (ctx !== underWay?.ctx) return
  underWay = null
  const form = rulesForm()
  if (form !== null) form.inert = false
  const next = pressedMeanwhile.shift()
  if (next !== undefined) setTimeout(() => pressInRules(next))
})

let outcome = ''

document.addEventListener('htmx:after:swap', (event) => {
  tellZone()
  const rules = document.getElementById('rules')
  if (rulesForm() === null) return
  markWrong()
  if (rules !== null && document.activeElement === document.body) rules.focus({ preventScroll: true })
  const announcement = rules?.dataset.announcement ?? ''
  const now = document.getElementById('outcome')?.textContent ?? ''
  if (announcement !== '') announce(announcement)
  // A whole page, saved or refused, makes its own announcement.
  else if (now !== outcome && swappedPage(event) === null) announce(now)
  if (rules !== null) rules.dataset.announcement = ''
  outcome = now
})

/** Fields follow what is told of their place. */
function markWrong() {
  for (const field of document.querySelectorAll('#rules [aria-describedby]')) {
    const state = document.getElementById(field.getAttribute('aria-describedby') ?? '')
    if (state?.querySelector('.error')) field.setAttribute('aria-invalid', 'true')
    else field.removeAttribute('aria-invalid')
  }
}

/** Whether there is something typed that is saved nowhere. */
let isTyped = false
function isUnsaved() {
  return rulesForm() !== null && (isTyped || document.querySelector('#unsaved a') !== null)
}
document.addEventListener('input', ({ target }) => {
  if (target instanceof Element && target.closest('#rules') !== null) isTyped = true
})
document.addEventListener('htmx:after:swap', () => {
  isTyped = false
})
window.addEventListener('beforeunload', (event) => {
  if (isUnsaved()) event.preventDefault()
})

// A way out of the page is then taken by the browser, which asks first.
document.addEventListener('htmx:before:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const link = ctx.sourceElement
  if (!(link instanceof HTMLAnchorElement) || !isUnsaved() || link.dataset.discard !== undefined) return
  event.preventDefault()
  location.assign(link.href)
})

// Rules are dragged by their grips: with a mouse, a finger or a pen.
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
    if (to !== from) pressInRules(`rule.move ${from} ${to}`)
  }
  document.addEventListener('pointermove', follow)
  document.addEventListener('pointerup', drop, { once: true })
  document.addEventListener('pointercancel', end, { once: true })
})
