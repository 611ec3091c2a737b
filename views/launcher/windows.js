// @ts-check

const isFirefox = /Firefox/.test(navigator.userAgent)

/**
 * Opens a tab, without an opener. Firefox reopens what it had blocked by itself, and with an opener where
 * `Cross-Origin-Opener-Policy` does not apply: on plain http. Such a tab goes through a page of ours, which cuts it off.
 * @param {HTMLAnchorElement} tab
 * @returns {Window | null} null if the browser blocked it. `noopener` would return null for every window, blocked or not, so
 *   the opener is removed afterwards.
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function openWindow({ href }) {
  if (isFirefox && !isSecureContext) return window.open(`/away#${encodeURIComponent(href)}`, '_blank')
  const view = window.open(href, '_blank')
  if (view !== null) view.opener = null
  return view
}

/**
 * What is shown where the browser blocked tabs: how to allow them, and the button for afterwards. Created here to keep the
 * page small, because thousands of pages are cached; without a script nothing is blocked.
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function createBlocked() {
  const blocked = document.createElement('div')
  blocked.id = blocked.className = 'blocked'
  blocked.hidden = true
  const how = document.createElement('p')
  how.id = 'how'
  const rest = document.createElement('button')
  rest.id = 'rest'
  rest.type = 'button'
  // Firefox opens what it has blocked as soon as pop-ups are allowed, and tells the page nothing.
  rest.textContent = isFirefox ? 'They’re open' : 'Pop-ups allowed? Open the rest'
  const drawn = document.createElement('div')
  const drawing = drawingOfBlocked()
  drawn.className = `drawn ${drawing}`
  blocked.append(how, rest, ...(drawing === undefined ? [] : [drawn]))
  return { blocked, how, rest }
}
