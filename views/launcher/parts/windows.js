// @ts-check

const isFirefox = /Firefox/.test(navigator.userAgent)

/** Whether this is the window of an installed app, which has no address bar and so no button for pop-ups there. */
export const isAppWindow = ['standalone', 'minimal-ui', 'window-controls-overlay', 'tabbed'].some(
  (mode) => matchMedia(`(display-mode: ${mode})`).matches,
)

/**
 * Why a tab is not open: the browser returned no window; a script, such as a blocker, replaced `window.open`; or the tab was
 * closed at once.
 * @typedef {'browser' | 'blocker' | 'closed'} Refusal
 */

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
 * small, because thousands of pages are cached; without a script nothing is blocked.
 *
 * @param {HTMLElement | null} extension the link to the instance's extension, which opens all at once; null for none.
 */
export function createBlocked(extension) {
  const blocked = document.createElement('div')
  blocked.id = blocked.className = 'blocked'
  blocked.hidden = true
  const rest = buttonOf('rest', '')
  const close = buttonOf('close', 'quiet')
  close.textContent = 'Close'
  return {
    blocked,
    rest,
    close,
    /** Explains how to allow the refused tabs; hides the message for null. @param {Refusal | null} why */
    explain(why) {
      if (why === null) {
        rest.remove()
        blocked.hidden = true
      } else showHints(blocked, [extension ?? '', rest, close], why)
    },
  }
}

/** Firefox opens blocked tabs as soon as pop-ups are allowed, without telling the page. @param {Refusal} why */
export function opensByItself(why) {
  return isFirefox && why === 'browser'
}

/**
 * How to allow pop-ups, by the browser's User-Agent, in the words of its own buttons. The first match applies; `null` means that
 * the browser has no such setting.
 * @type {[agent: RegExp, steps: ((host: string, name: string) => string) | null][]}
 */
const WAYS = [
  // In-app browsers.
  [/; wv\)|FBA[NV]|Instagram|Line\/|MicroMessenger|GSA\/|LinkedInApp|Snapchat|TikTok|musical_ly|Twitter/, null],
  [/CriOS/, () => 'in Chrome, tap ⋯, Settings, Content Settings, then turn off Block Pop-ups.'],
  [/FxiOS/, () => 'in Firefox, tap ☰, Settings, then turn off Block Pop-up Windows.'],
  [/EdgiOS/, () => 'in Edge, tap ☰, Settings, Privacy and security, then turn off Block pop-ups.'],
  [/iP(hone|ad|od).*Safari/, () => 'in the Settings app, choose Apps, Safari, then turn off Block Pop-ups.'],
  [/iP(hone|ad|od)/, null],
  [/SamsungBrowser/, () => 'tap ☰, Settings, Sites and downloads, then turn off Block pop-ups.'],
  [/Android.*Firefox/, () => 'in the message that Firefox shows, tap Allow.'],
  [/Android.*EdgA/, () => 'in the message that Edge shows, tap “Always show”.'],
  [
    /Android.*Chrome/,
    () => 'tap “Always show” in the message at the bottom, or ⋮, Settings, Site settings, Pop-ups and redirects.',
  ],
  [/Windows.*Firefox/, (_, name) => `in the bar at the top, choose Options, then “Allow pop-ups … for ${name}”.`],
  [/Firefox/, (_, name) => `in the bar at the top, choose Preferences, then “Allow pop-ups … for ${name}”.`],
  [
    /Edg\/|Chrome/,
    (host) =>
      `click “Pop-up blocked” in the address bar, choose “Always allow pop-ups and redirects from ${host}”, then Done.`,
  ],
  [
    /Macintosh.*Safari/,
    (host) =>
      `click the two windows in the address bar; or for good, in Safari’s settings, Websites, Pop-up Windows, choose Allow for ${host}.`,
  ],
  [/./, (host) => `allow pop-ups for ${host} in your browser’s settings.`],
]

/** The picture that shows where to press, by browser. */
const DRAWINGS = /** @type {const} */ ([
  [/iP(hone|ad|od)/, 'switch'],
  [/Android/, 'android'],
  [/Firefox/, 'firefox'],
  [/Chrome/, 'chrome'],
  [/Macintosh/, 'safari'],
])

/** The browser's User-Agent. An iPad claims to be a Mac, but Macs have no touch screen. */
function agentOf() {
  const { userAgent, maxTouchPoints } = navigator
  return maxTouchPoints > 0 ? userAgent.replace('Macintosh', 'iPad') : userAgent
}

/** How to bookmark this page. */
export function howToBookmark() {
  if (/iP(hone|ad|od)|Android/.test(agentOf())) return 'Tap Share or Menu, then Bookmark'
  return `Press ${/Macintosh/.test(agentOf()) ? '⌘' : 'Ctrl+'}D`
}

/**
 * Explains how to allow the refused tabs.
 * @param {HTMLElement} blocked
 * @param {[extension: HTMLElement | '', rest: HTMLElement, close: HTMLElement]} offers
 * @param {Refusal} why
 */
function showHints(blocked, offers, why) {
  const [, rest] = offers
  const steps = stepsFor(why)
  const opensRest = opensByItself(why)
  const how = document.createElement('p')
  how.id = 'how'
  how.textContent =
    steps && `To open all at once: ${steps}${opensRest ? ' Firefox then opens the rest by itself.' : ''}`
  rest.textContent = opensRest ? 'Done, they opened' : 'Pop-ups allowed? Open the rest'
  const drawn = document.createElement('div')
  const drawing = DRAWINGS.find(([pattern]) => pattern.test(agentOf()))?.[1]
  drawn.className = `drawn ${drawing}`
  drawn.hidden = why !== 'browser' || isAppWindow || drawing === undefined
  blocked.replaceChildren(how, ...offers, drawn)
  blocked.hidden = steps === null
}

/** @param {Refusal} why */
function stepsFor(why) {
  if (why !== 'browser') return `allow pop-ups for ${location.hostname} in your ad blocker.`
  if (isAppWindow) return 'open this page in a browser tab, from the menu of this window, and press “Open all” there.'
  return howToAllow()
}

/** @returns {string | null} how to allow pop-ups in this browser, or null if it cannot */
function howToAllow() {
  const [, steps] = WAYS.find(([pattern]) => pattern.test(agentOf())) ?? []
  return steps ? steps(location.host, location.hostname) : null
}
