// @ts-check

// How to allow pop-ups; loaded once tabs were blocked (blocked.js).

import { agentOf, isAppWindow, opensByItself } from './browser.js'

/** @typedef {import('./browser.js').Refusal} Refusal */

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

/** @returns {string | null} how to allow pop-ups in this browser, or null if it cannot */
function howToAllow() {
  const [, steps] = WAYS.find(([pattern]) => pattern.test(agentOf())) ?? []
  return steps ? steps(location.host, location.hostname) : null
}

/** The picture that shows where to press, by browser. */
const DRAWINGS = /** @type {const} */ ([
  [/iP(hone|ad|od)/, 'static:blocked-switch.svg'],
  [/Android/, 'static:blocked-android.svg'],
  [/Firefox/, 'static:blocked-firefox.svg'],
  [/Chrome/, 'static:blocked-chrome.svg'],
  [/Macintosh/, 'static:blocked-safari.svg'],
])

/** @param {Refusal} why */
function stepsFor(why) {
  if (why !== 'browser') return `allow pop-ups for ${location.hostname} in your ad blocker.`
  if (isAppWindow) return 'open this page in a browser tab, from the menu of this window, and press “Open all” there.'
  return howToAllow()
}

document.addEventListener('blocked', (event) => {
  const { blocked, how, rest, why } = /** @type {CustomEvent<import('./blocked.js').Blocked>} */ (event).detail
  const steps = stepsFor(why)
  const opensRest = opensByItself(why)
  how.textContent =
    steps && `To open all at once: ${steps}${opensRest ? ' Firefox then opens the rest by itself.' : ''}`
  if (opensRest) rest.textContent = 'Done, they opened'
  const drawn = document.createElement('div')
  const drawing = DRAWINGS.find(([pattern]) => pattern.test(agentOf()))?.[1]
  drawn.className = 'drawn'
  drawn.style.maskImage = `url("${drawing}")`
  drawn.hidden = why !== 'browser' || isAppWindow || drawing === undefined
  blocked.append(drawn)
  blocked.hidden = steps === null
})
