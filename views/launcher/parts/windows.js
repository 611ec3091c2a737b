// @ts-check

import { isFirefox } from './browser.js'

/** @typedef {import('./browser.js').Refusal} Refusal */

/** Opened windows, to detect one that is returned twice. @type {Set<Window>} */
const windows = new Set()

/**
 * Opens a tab without an opener. Firefox reopens blocked tabs by itself, and keeps their opener where
 * `Cross-Origin-Opener-Policy` does not apply: on plain http. There, tabs go through the page `/away`, which removes the opener.
 * @param {HTMLAnchorElement} tab
 * @returns {Window | Refusal} With `noopener`, `window.open` would return null for every window, blocked or not, so the opener is
 * removed afterwards.
 */
export function openWindow({ href }) {
  const address = isFirefox && !isSecureContext ? `/away#${encodeURIComponent(href)}` : href
  try {
    const view = window.open(address, '_blank')
    if (view === null) return 'browser'
    // Blockers return nothing, `true`, this window, the window of a hidden frame, or a fake object. The getters of a window throw
    // for any other object, and only an opened window is its own parent.
    const read = (/** @type {'closed' | 'parent'} */ name) => Reflect.get(window, name, view)
    if (typeof view !== 'object' || read('closed') || read('parent') !== view || view === window || windows.has(view))
      return 'blocker'
    windows.add(view)
    if (address === href) view.opener = null
    return view
  } catch {
    return 'blocker'
  }
}

/** Whether a script has replaced `window.open`, so that an opened window may be invisible. */
export const isOpenReplaced = () => !Function.prototype.toString.call(window.open).includes('[native code]')

/**
 * Watches an opened tab, because some blockers close it again. `closed` is also true for a tab that left for another page where
 * `Cross-Origin-Opener-Policy` of either page separates them. But only a closed tab fires `beforeunload` on its first, empty page
 * before that is left.
 * @param {Window} view
 * @returns {() => boolean} whether it was closed before it led anywhere.
 */
export function watch(view) {
  let isClosing = false
  try {
    view.addEventListener('pagehide', () => (isClosing ||= view.closed))
    // In Safari, navigation fires it too.
    if (/Chrome|Firefox/.test(navigator.userAgent)) view.addEventListener('beforeunload', () => (isClosing = true))
  } catch {
    // The tab already shows another site.
  }
  return () => view.closed && isClosing
}
