// @ts-check

/**
 * How to allow pop-ups, by the browser's User-Agent; the first entry that matches, with the words on its own buttons.
 * `null`: this browser has no such setting.
 * @type {[agent: RegExp, steps: ((host: string, name: string) => string) | null][]}
 */
const WAYS = [
  // Browsers inside other apps.
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

/** Which picture of a browser shows where that is. */
const DRAWINGS = /** @type {const} */ ([
  [/iP(hone|ad|od)/, 'switch'],
  [/Android/, 'android'],
  [/Firefox/, 'firefox'],
  [/Chrome/, 'chrome'],
  [/Macintosh/, 'safari'],
])

/** What the browser says it is. An iPad claims to be a Mac, which has no touch screen. */
function agentOf() {
  const { userAgent, maxTouchPoints } = navigator
  return maxTouchPoints > 0 ? userAgent.replace('Macintosh', 'iPad') : userAgent
}

/** @returns {string | undefined} the class of the picture that belongs to it */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function drawingOfBlocked() {
  return DRAWINGS.find(([pattern]) => pattern.test(agentOf()))?.[1]
}

/** @returns {string | null} how to allow pop-ups in this browser, or null if it cannot */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function howToAllow() {
  const [, steps] = WAYS.find(([pattern]) => pattern.test(agentOf())) ?? []
  return steps ? steps(location.host, location.hostname) : null
}
