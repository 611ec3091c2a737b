// @ts-check
import { announce, released } from '../../parts/site.js'
import { saveButton, shownBy } from './dashboard.js'

// A live form: its buttons and pauses in typing submit it, and the server returns the updated form. Text typed while an answer is
// pending is never lost, and the focus stays.

/** The live form of the page; null for none. */
function liveForm() {
  const form = document.querySelector('form[data-live]')
  return form instanceof HTMLFormElement ? form : null
}

/**
 * Submits the form as if a button with this value had been pressed.
 * @param {string} action
 */
export function submitAction(action) {
  const form = liveForm()
  const button = form?.querySelector('button[value="refresh"]')
  if (form === null || !(button instanceof HTMLButtonElement)) return
  button.value = action
  form.requestSubmit(button)
  button.value = 'refresh'
}

/** @param {HTMLFormElement} form */
function fieldsOf(form) {
  const text = new URLSearchParams()
  for (const [name, value] of new FormData(form)) text.append(name, String(value))
  return text.toString()
}

/**
 * The form's pending request, the fields it was sent with, and the focused element at that time.
 * @type {{ ctx: unknown, action: string, fields: string, focused: Element | null } | null}
 */
let pending = null
/** The fields that each check was sent with, by request. @type {WeakMap<object, string>} */
const checked = new WeakMap()
/**
 * The fields of the form as it came back, saved or refused, until others are checked: a check that was due meanwhile would take
 * away the errors of a refusal, and speak over the result of a save.
 */
let returnedFields = ''
/** Actions to submit once the pending request is done. @type {string[]} */
const queuedActions = []

document.addEventListener('htmx:config:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = liveForm()
  if (form === null || (ctx.sourceElement !== form && ctx.sourceElement.id !== 'check')) return
  const { body } = ctx.request
  const action = String(body.get('do'))
  const fields = fieldsOf(form)
  // Parts that the page has unchanged need not be sent again.
  for (const part of document.querySelectorAll('[data-has]')) body.append('has', part.getAttribute('data-has'))
  const isReturned = ctx.sourceElement !== form && fields === returnedFields
  if (isReturned || (pending !== null && !mayReplace(action, pending.action))) {
    // An action with a position is dropped, because the answer may renumber the positions.
    if (ctx.sourceElement === form && action !== 'refresh' && !/ \d/.test(action)) queuedActions.push(action)
    event.preventDefault()
  } else if (ctx.sourceElement === form) {
    pending = { ctx, action, fields, focused: document.activeElement }
    // The answer to a check of the old fields would not fit the new ones.
    document.getElementById('check')?.dispatchEvent(new CustomEvent('htmx:abort'))
    setSaving(action === 'save')
  } else {
    checked.set(ctx, fields)
    returnedFields = ''
  }
})

/**
 * Whether an action may replace the pending one: only a refresh, which changes nothing, may be dropped.
 * @param {string} action @param {string} current
 */
function mayReplace(action, current) {
  return current === 'refresh' && action !== 'refresh' && action !== 'check'
}

/** A shorter save needs no sign. */
const SIGN_AFTER_MS = 300
/** The sign that is due. @type {ReturnType<typeof setTimeout> | undefined} */
let sign

/** Blocks input while saving, including fields outside the form; a save that takes longer shows. @param {boolean} isSaving */
function setSaving(isSaving) {
  const main = document.getElementById('main')
  if (main !== null) main.inert = isSaving
  clearTimeout(sign)
  if (!isSaving)
    for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy')
  else
    sign = setTimeout(() => {
      saveButton()?.setAttribute('aria-busy', 'true')
      announce('Saving…')
    }, SIGN_AFTER_MS)
}

// An answer waits until no pointer is pressed, because it may move the pressed element.
document.addEventListener('htmx:before:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  if (ctx !== pending?.ctx && !checked.has(ctx)) return
  ctx.fetch = async (/** @type {[string, RequestInit]} */ ...request) => {
    const answer = await fetch(...request)
    await released()
    return answer
  }
})

/** The focused element before the answer. @type {Element | null} */
let focused = null
/** The fields in the answer that were on the page before. @type {Set<Element>} */
const came = new Set()

// Swapping would lose text typed since the request, so the same action is submitted again with all input.
document.addEventListener('htmx:before:swap', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = liveForm()
  const isOfForm = ctx === pending?.ctx
  came.clear()
  if (isOfForm) setSaving(false)
  const fields = isOfForm ? pending?.fields : checked.get(ctx)
  if (form === null || fields === undefined) return
  focused = document.activeElement
  if (fieldsOf(form) === fields || (isOfForm && pending?.action === 'save')) return
  event.preventDefault()
  if (isOfForm && pending !== null) queuedActions.unshift(pending.action)
})

document.addEventListener('htmx:finally:request', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  if (pending === null || ctx !== pending.ctx) return
  const { action, focused: before } = pending
  pending = null
  setSaving(false)
  const isLost = action === 'save' && document.activeElement === document.body
  const to = before?.isConnected ? before : saveButton()
  if (isLost && to instanceof HTMLElement) to.focus({ preventScroll: true })
  const next = queuedActions.shift()
  if (next !== undefined) setTimeout(() => submitAction(next))
})

/** @param {Element} element */
const hasError = (element) => element.querySelector('.error') !== null

const { htmx: htmxApi } =
  /** @type {{ htmx: { registerExtension(name: string, extension: object): void } }} */
  (/** @type {unknown} */ (window))

// State that only the page has is kept: open elements, and the sizes of text fields.
htmxApi.registerExtension('live-form', {
  /** @param {Element} _ @param {{ oldNode: Node, newNode: Node }} nodes @returns {boolean} whether the new one counts. */
  htmx_before_morph_node(_, { oldNode, newNode }) {
    if (!(newNode instanceof HTMLElement) || !(oldNode instanceof HTMLElement)) return true
    if (newNode.hasAttribute('data-same')) return false
    came.add(oldNode)
    // A new error opens its surrounding element. If somebody closes that, it stays closed.
    if (newNode instanceof HTMLDetailsElement && oldNode instanceof HTMLDetailsElement)
      newNode.open = oldNode.open || (hasError(newNode) && !hasError(oldNode))
    if (oldNode.hasAttribute('style')) newNode.style.cssText = oldNode.style.cssText
    return true
  },
})

// After the answer, fields take the server's values: once a field was typed in, its attribute no longer sets its value.
document.addEventListener('htmx:after:swap', (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail
  const form = liveForm()
  const isCheck = checked.has(ctx)
  // Only the submitted form's fields change; a saved password is cleared.
  if (shownBy(event) === 'form')
    for (const field of came) if (isIn(field, ctx.sourceElement)) takeValue(field, ctx.response.status < 400)
  // What was saved by Enter, or is empty now as it was before, is not in the answer's differences.
  const { sourceElement } = ctx
  const isSaved = shownBy(event) === 'form' && ctx.response.status < 400
  if (isSaved && sourceElement instanceof HTMLFormElement && sourceElement !== form)
    for (const field of sourceElement.elements) takeValue(field, true)
  // After all listeners, some of which fill fields in.
  if (shownBy(event) === 'form' && form !== null) queueMicrotask(() => (returnedFields = fieldsOf(form)))
  if (form === null || ctx.target !== `#${form.id}` || (!isCheck && ctx !== pending?.ctx)) return
  for (const field of came) if (field !== document.activeElement) takeValue(field)
  // The focus stays where it was moved meanwhile, and on a moved element.
  const isMoved = pending !== null && !isCheck && focused !== pending.focused && focused !== document.body
  const isLost = document.activeElement === document.body
  if ((isMoved || isLost) && focused instanceof HTMLElement && focused.isConnected)
    focused.focus({ preventScroll: true })
  const says = isCheck ? null : form.querySelector('[data-announcement]')?.getAttribute('data-announcement')
  if (says) announce(says)
  form.dispatchEvent(new CustomEvent('answered', { bubbles: true, detail: isCheck ? 'check' : pending?.action }))
})

/** @param {Element} field @param {Element} form */
const isIn = (field, form) => 'form' in field && field.form === form && field !== document.activeElement

/** @param {Element} field @param {boolean} [isSaved] */
function takeValue(field, isSaved = false) {
  if (field instanceof HTMLSelectElement) {
    const chosen = field.querySelector('option[selected]')
    if (chosen instanceof HTMLOptionElement) chosen.selected = true
  } else if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) {
    field.checked = field.defaultChecked
  } else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    // Passwords and unsent texts are not in the answer; times are shown in another zone.
    const isOwn = (field.type === 'password' && !isSaved) || 'instant' in field.dataset || 'unsent' in field.dataset
    if (!isOwn && field.value !== field.defaultValue) field.value = field.defaultValue
  }
}
