// @ts-check

export const isFirefox = /Firefox/.test(navigator.userAgent)

/** Whether this is the window of an installed app, which has no address bar and so no button for pop-ups there. */
export const isAppWindow = ['standalone', 'minimal-ui', 'window-controls-overlay', 'tabbed'].some(
  (mode) => matchMedia(`(display-mode: ${mode})`).matches,
)

/**
 * Why a tab is not open: the browser returned no window; a script, such as a blocker, replaced `window.open`; or the tab was
 * closed at once.
 * @typedef {'browser' | 'blocker' | 'closed'} Refusal
 */

/** Firefox opens blocked tabs as soon as pop-ups are allowed, without telling the page. @param {Refusal} why */
export function opensByItself(why) {
  return isFirefox && why === 'browser'
}

/** The browser's User-Agent. An iPad claims to be a Mac, but Macs have no touch screen. */
export function agentOf() {
  const { userAgent, maxTouchPoints } = navigator
  return maxTouchPoints > 0 ? userAgent.replace('Macintosh', 'iPad') : userAgent
}

/** How to bookmark this page. */
export function howToBookmark() {
  if (/iP(hone|ad|od)|Android/.test(agentOf())) return 'Tap Share or Menu, then Bookmark'
  return `Press ${/Macintosh/.test(agentOf()) ? '⌘' : 'Ctrl+'}D`
}
