// @ts-check
import { clearFieldError, showFieldError } from './error-line.js'
import { announce, latest } from './site.js'

// While somebody types the end of a link, says below it whether it is free. The form works without.

const latestCheck = latest(300)

document.addEventListener('input', async ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.closest('.link-name') === null) return
  const { form } = target
  if (form === null) return
  say(target, '', false)
  const signal = await latestCheck()
  if (signal.aborted || target.value === target.defaultValue) return
  const body = new URLSearchParams({ newSlug: target.value, do: 'check' })
  const answer = await fetch(form.action, { method: 'POST', body, signal }).catch(() => null)
  if (!answer?.ok || signal.aborted) return
  const { says, isFree } = await answer.json()
  if (signal.aborted) return
  say(target, says, isFree)
  announce(says)
})

/**
 * Shows the result in the line of the hint; an empty text shows the hint.
 * @param {HTMLInputElement} input @param {string} says @param {boolean} isFree
 */
function say(input, says, isFree) {
  const field = input.closest('.field')
  const hint = field?.querySelector('.hint')
  if (!(hint instanceof HTMLElement)) return
  const isWrong = says !== '' && !isFree
  if (isWrong) showFieldError(input, says, { place: (line) => hint.before(line) })
  else clearFieldError(input)
  hint.hidden = isWrong
  hint.className = isFree ? 'hint free' : 'hint'
  hint.textContent = isFree ? says : (hint.dataset.hint ?? '')
}
