import { expect, test } from 'bun:test'
import { asset, assetAt } from '../../views/parts/static.ts'

// What the launcher says about allowing pop-ups, by User-Agent, in the script as it is served. That it is shown, and that it
// is what Firefox's own bar says, is tested in browsers.

const SCRIPT = String(assetAt(asset('hints.js'))?.body ?? '')
const HOST = { host: 'go.example:8443', hostname: 'go.example' }

/** The sentence for a browser, or null if it has no such setting. Only the script's functions are run, without a page. */
function howToAllow(userAgent: string, maxTouchPoints: number): string | null {
  const part = (from: string, to: string) =>
    SCRIPT.slice(SCRIPT.indexOf(from), SCRIPT.indexOf('\n}', SCRIPT.indexOf(to)) + 2)
  const parts = [part('function agentOf', 'function agentOf'), part('const WAYS', 'function howToAllow')]
  const run = new Function('navigator', 'location', `${parts.join('\n')}\nreturn howToAllow()`)
  return run({ userAgent, maxTouchPoints }, HOST)
}

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const IPAD_AS_PHONE = IPHONE.replace('iPhone; CPU iPhone OS', 'iPad; CPU OS')
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)'
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0'
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1'

const IN_CHROME =
  'click “Pop-up blocked” in the address bar, choose “Always allow pop-ups and redirects from go.example:8443”, then Done.'
const FIREFOX_OPTIONS = 'in the bar at the top, choose Options, then “Allow pop-ups … for go.example”.'
const FIREFOX_PREFERENCES = 'in the bar at the top, choose Preferences, then “Allow pop-ups … for go.example”.'
const ON_IPHONES = 'in the Settings app, choose Apps, Safari, then turn off Block Pop-ups.'
const IN_CHROME_ON_ANDROID =
  'tap “Always show” in the message at the bottom, or ⋮, Settings, Site settings, Pop-ups and redirects.'
const ELSEWHERE = 'allow pop-ups for go.example:8443 in your browser’s settings.'

const MOUSE = 0
const TOUCH = 5

test.each([
  ['Chrome on Windows', `${WINDOWS}) ${BLINK} Safari/537.36`, MOUSE, IN_CHROME],
  ['Chrome on Windows with a touch screen', `${WINDOWS}) ${BLINK} Safari/537.36`, TOUCH, IN_CHROME],
  ['Chrome on a Mac', `${MAC} ${BLINK} Safari/537.36`, MOUSE, IN_CHROME],
  ['Chromium on Linux', `${LINUX}) ${BLINK} Safari/537.36`, MOUSE, IN_CHROME],
  ['Edge on Windows', `${WINDOWS}) ${BLINK} Safari/537.36 Edg/130.0.0.0`, MOUSE, IN_CHROME],
  ['Firefox on Windows', `${WINDOWS}; rv:140.0) Gecko/20100101 Firefox/140.0`, MOUSE, FIREFOX_OPTIONS],
  ['Firefox on Linux', `${LINUX}; rv:140.0) Gecko/20100101 Firefox/140.0`, MOUSE, FIREFOX_PREFERENCES],
  [
    'Firefox on a Mac',
    `${MAC.replace('10_15_7', '10.15; rv:140.0')} Gecko/20100101 Firefox/140.0`,
    MOUSE,
    FIREFOX_PREFERENCES,
  ],
  [
    'Safari on a Mac',
    `${MAC} ${WEBKIT} Safari/605.1.15`,
    MOUSE,
    'click the two windows in the address bar; or for good, in Safari’s settings, Websites, Pop-up Windows, choose Allow for go.example:8443.',
  ],
  ['Safari on an iPhone', `${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, TOUCH, ON_IPHONES],
  ['Safari on an iPad, which says it is a Mac', `${MAC} ${WEBKIT} Safari/605.1.15`, TOUCH, ON_IPHONES],
  [
    'Safari on an iPad that asks for mobile sites',
    `${IPAD_AS_PHONE} Version/18.1 Mobile/15E148 Safari/604.1`,
    TOUCH,
    ON_IPHONES,
  ],
  [
    'Chrome on an iPhone',
    `${IPHONE} CriOS/130.0 Mobile/15E148 Safari/604.1`,
    TOUCH,
    'in Chrome, tap ⋯, Settings, Content Settings, then turn off Block Pop-ups.',
  ],
  [
    'Firefox on an iPhone',
    `${IPHONE} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`,
    TOUCH,
    'in Firefox, tap ☰, Settings, then turn off Block Pop-up Windows.',
  ],
  [
    'Edge on an iPhone',
    `${IPHONE} Version/18.0 EdgiOS/130.0 Mobile/15E148 Safari/604.1`,
    TOUCH,
    'in Edge, tap ☰, Settings, Privacy and security, then turn off Block pop-ups.',
  ],
  ['Chrome on Android', `${ANDROID} Chrome/130.0.0.0 Mobile Safari/537.36`, TOUCH, IN_CHROME_ON_ANDROID],
  [
    'Edge on Android',
    `${ANDROID} Chrome/130.0.0.0 Mobile Safari/537.36 EdgA/130.0.0.0`,
    TOUCH,
    'in the message that Edge shows, tap “Always show”.',
  ],
  [
    'Firefox on Android',
    'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    TOUCH,
    'in the message that Firefox shows, tap Allow.',
  ],
  [
    'Samsung Internet',
    `${ANDROID} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`,
    TOUCH,
    'tap ☰, Settings, Sites and downloads, then turn off Block pop-ups.',
  ],
  ['GNOME Web', `${LINUX}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Safari/605.1.15`, MOUSE, ELSEWHERE],
  ['a browser that nobody knows', 'Something/1.0', MOUSE, ELSEWHERE],
  [
    'an Android app',
    `${ANDROID.replace('Pixel 9', 'Pixel 9; wv')} Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    TOUCH,
    null,
  ],
  ['an iPhone app', `${IPHONE} Mobile/15E148`, TOUCH, null],
  ['Facebook', `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/480.0]`, TOUCH, null],
  [
    'Facebook on an iPad, which says it is a Mac',
    `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS]`,
    TOUCH,
    null,
  ],
  ['Instagram', `${IPHONE} Mobile/15E148 Instagram 350.0 (iPhone15,2; iOS 18_1; en_GB)`, TOUCH, null],
  ['LINE', `${IPHONE} Mobile/15E148 Safari Line/14.0.0`, TOUCH, null],
  ['WeChat', `${ANDROID} Chrome/116.0.0.0 Mobile Safari/537.36 MicroMessenger/8.0.50`, TOUCH, null],
  ['the Google app', `${IPHONE} GSA/340.0 Mobile/15E148 Safari/604.1`, TOUCH, null],
  ['LinkedIn', `${IPHONE} Mobile/15E148 [LinkedInApp]/9.30`, TOUCH, null],
  ['Snapchat', `${IPHONE} Mobile/15E148 Snapchat/12.80 (like Safari/8618.1, panda)`, TOUCH, null],
  ['TikTok', `${IPHONE} Mobile/15E148 musical_ly_36.0 BytedanceWebview/d8a21c6`, TOUCH, null],
] as const)('%s', (_, userAgent, touchPoints, expected) => {
  expect(howToAllow(userAgent, touchPoints)).toBe(expected)
})
