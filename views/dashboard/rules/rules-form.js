// @ts-check

/** The form of the rules page; null on other pages. */
function rulesForm() {
  const form = document.getElementById('policy')
  return form instanceof HTMLFormElement ? form : null
}

/**
 * Submits the form as if a button with this value had been pressed.
 * @param {string} action
 */
function submitAction(action) {
  const form = rulesForm()
  const button = form?.querySelector('button[value="refresh"]')
  if (form === null || !(button instanceof HTMLButtonElement)) return
  button.value = action
  form.requestSubmit(button)
  button.value = 'refresh'
}

// A new topic has other fields, and the value for the old one makes no sense for it.
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

/** @param {HTMLFormElement} form */
function fieldsOf(form) {
  const text = new URLSearchParams()
  for (const [name, value] of new FormData(form)) text.append(name, String(value))
  return text.toString()
}

/**
 * The form's pending request, and the fields it was sent with.
 * @type {{ ctx: unknown, action: string, fields: string } | null}
 */
let pending = null
/** The fields that each check was sent with, by request. @type {WeakMap<object, string>} */
const checked = new WeakMap()
/** Actions to submit once the pending request is done. @type {string[]} */
let queuedActions = []

document.addEventListener('htmx:config:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = rulesForm()
  if (form === null || (ctx.sourceElement !== form && ctx.sourceElement.id !== 'check')) return
  const action = String(ctx.request.body.get('do'))
  const fields = fieldsOf(form)
  if (pending !== null && !mayReplace(action, pending.action)) {
    // An action with an index is dropped, because the response may renumber the rules.
    if (ctx.sourceElement === form && action !== 'refresh' && !/\d/.test(action)) queuedActions = [action]
    event.preventDefault()
  } else if (ctx.sourceElement === form) {
    pending = { ctx, action, fields }
    // The response to a check of the old fields would not fit the new ones.
    document.getElementById('check')?.dispatchEvent(new CustomEvent('htmx:abort'))
    form.inert = action === 'save'
  } else checked.set(ctx, fields)
})

/**
 * Whether an action may replace the pending one: only a refresh, which changes nothing, may be dropped.
 * @param {string} action @param {string} current
 */
function mayReplace(action, current) {
  return current === 'refresh' && action !== 'refresh' && action !== 'check'
}

// Swapping would lose what was typed since the request: submit the same action again instead, with all input.
document.addEventListener('htmx:before:swap', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = rulesForm()
  const isOfForm = ctx === pending?.ctx
  const fields = isOfForm ? pending?.fields : checked.get(ctx)
  if (form === null || fields === undefined || fieldsOf(form) === fields) return
  if (isOfForm && pending?.action === 'save') return
  event.preventDefault()
  if (isOfForm && pending !== null) queuedActions.unshift(pending.action)
})

document.addEventListener('htmx:finally:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  if (ctx !== pending?.ctx) return
  pending = null
  const form = rulesForm()
  if (form !== null) form.inert = false
  const next = queuedActions.shift()
  if (next !== undefined) setTimeout(() => submitAction(next))
})

let outcome = ''

document.addEventListener('htmx:after:swap', (event) => {
  setZone()
  const rules = document.getElementById('rules')
  if (rulesForm() === null) return
  markInvalid()
  if (rules !== null && document.activeElement === document.body) rules.focus({ preventScroll: true })
  const announcement = rules?.dataset.announcement ?? ''
  const now = document.getElementById('outcome')?.textContent ?? ''
  if (announcement !== '') announce(announcement)
  // A whole page, after saving, makes its own announcement.
  else if (now !== outcome && swappedPage(event) === null) announce(now)
  if (rules !== null) rules.dataset.announcement = ''
  outcome = now
})

/** Marks fields as invalid if their notes have an error about them, as `field` in parts.tsx. */
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

// Who is described by hand is none of the people.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof Element) || target.closest('.custom') === null) return
  document.querySelector('.people [aria-pressed="true"]')?.setAttribute('aria-pressed', 'false')
})

/** Whether there is input that the server has not seen. */
let isDirty = false
function isUnsaved() {
  return rulesForm() !== null && (isDirty || document.querySelector('#unsaved a') !== null)
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

// Dragging rules by their grips, with mouse, finger or pen.
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
