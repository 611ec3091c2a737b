// @ts-check

import { loadLater } from './later.js'

/** @typedef {import('./browser.js').Refusal} Refusal */

/**
 * What hints.js is told with the event `blocked`: where to explain, what to offer there, and what was refused.
 * @typedef {{ blocked: HTMLElement, how: HTMLElement, rest: HTMLElement, why: Refusal }} Blocked
 */

/** A button that is nowhere yet. @param {string} id @param {string} kind */
export function buttonOf(id, kind) {
  const button = document.createElement('button')
  button.id = id
  button.type = 'button'
  button.className = kind
  return button
}

/**
 * The message about blocked tabs, with instructions and the button to press afterwards. It is created here to keep the page
 * small, because thousands of pages are cached; without a script nothing is blocked. The words for each browser are in a script
 * of their own, because most viewers never see them.
 *
 * @param {HTMLElement | null} extension the link to the instance's extension, which opens all at once; null for none.
 */
export function createBlocked(extension) {
  const blocked = document.createElement('div')
  blocked.id = blocked.className = 'blocked'
  blocked.hidden = true
  const how = document.createElement('p')
  how.id = 'how'
  const rest = buttonOf('rest', '')
  const close = buttonOf('close', 'quiet')
  close.textContent = 'Close'
  /** Why tabs are refused now; null if none are. @type {Refusal | null} */
  let current = null
  /** Whether the hints are being loaded, or settled. */
  let [isAsked, isSettled] = [false, false]

  const show = () => {
    isSettled = true
    if (current === null) return
    how.textContent = 'To open all at once, allow pop-ups for this page in your browser’s settings.'
    rest.textContent = 'Pop-ups allowed? Open the rest'
    blocked.replaceChildren(how, extension ?? '', rest, close)
    blocked.hidden = false
    document.dispatchEvent(new CustomEvent('blocked', { detail: { blocked, how, rest, why: current } }))
  }

  return {
    blocked,
    rest,
    close,
    /** Explains how to allow the refused tabs; hides the message for null. @param {Refusal | null} why */
    explain(why) {
      current = why
      if (why === null) {
        rest.remove()
        blocked.hidden = true
      } else if (isSettled) show()
      else if (!isAsked) {
        isAsked = true
        loadLater('static:hints.js', show)
      }
    },
  }
}
