import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFirefox } from '../needs.ts'
import { freePort } from '../ports.ts'
import { type Conditions, type Engine, PHONE } from './viewer.ts'
import { connected, type Send, viewerOf } from './webdriver.ts'

/** Where pages come over plain http, as far as Firefox knows. */
export const PLAIN_HOST = 'plain.example'

/** Settings of a profile. Automation would turn the pop-up blocker off, and much else that people have on. */
const SETTINGS = {
  'remote.prefs.recommended': false,
  'app.update.auto': false,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'browser.dom.window.dump.enabled': true,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  // A name of this machine without the rights that browsers give to `localhost`.
  'network.dns.localDomains': PLAIN_HOST,
  // Cheaper, and nothing that a page notices: one process for pages, no animations, no services that ask the network.
  'browser.safebrowsing.blockedURIs.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.sessionstore.interval': 600_000,
  'dom.ipc.processCount': 1,
  'dom.ipc.processCount.webIsolated': 1,
  'dom.ipc.processPrelaunch.enabled': false,
  'devtools.console.stdout.content': true,
  'extensions.systemAddon.update.enabled': false,
  'gfx.webrender.software': true,
  'toolkit.cosmeticAnimations.enabled': false,
  // As on phones, and as the other browsers here have them: they take no room.
  'ui.useOverlayScrollbars': 1,
  // Else a press on a question counts only after a while in which nothing was pressed.
  'security.notification_enable_delay': 0,
  // A mouse: fine, and able to hover. Without a screen Firefox finds none.
  'ui.primaryPointerCapabilities': 6,
  'ui.allPointerCapabilities': 6,
  'ui.prefersReducedMotion': 1,
}

/** Firefox, with what only it can do. */
interface Firefox extends Engine {
  /** Installs an extension from a folder until the browser ends. @returns where its pages are. */
  install(folder: string): Promise<string>
  /** Runs a script in the browser's own window, the one that its user looks at. @returns what the script returns. */
  inBrowser(script: string, ...args: unknown[]): Promise<unknown>
  /** Answers the browser's question whether an extension may have a permission. @returns the question. */
  allow(): Promise<string>
  /** Types into the address bar. @returns reads the titles of the rows below it. */
  typeInBar(text: string): Promise<() => Promise<string[]>>
  /** Presses Enter in the address bar. */
  enter(): Promise<void>
}

/** Starts Firefox with a fresh profile. It is driven by Marionette, so that no geckodriver is needed. */
export async function startFirefox(): Promise<Firefox> {
  const path = findFirefox()
  if (path === null) throw new Error('no Firefox')
  const profile = mkdtempSync(join(tmpdir(), 'openall-firefox-'))
  const port = freePort()
  const settings = Object.entries({ ...SETTINGS, 'marionette.port': port })
  writeFileSync(
    join(profile, 'user.js'),
    settings.map((setting) => `user_pref(${setting.map((part) => JSON.stringify(part)).join()});`).join('\n'),
  )
  const options = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile]
  const child = Bun.spawn([path, ...options], {
    env: { ...process.env, MOZ_HEADLESS_WIDTH: '1280', MOZ_HEADLESS_HEIGHT: '1000' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // What pages write by `console`.
  let written = ''
  const reading = (async () => {
    const [decoder, reader] = [new TextDecoder(), child.stdout.getReader()]
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      written += decoder.decode(read.value, { stream: true })
    }
  })()
  const call = await marionette(port)
  const started = (await call('WebDriver:NewSession', {})) as { capabilities: { browserVersion: string } }
  const send: Send = async (command, input = {}) => unwrap(await call(`WebDriver:${command}`, input))

  /** Runs a script in the browser's own window. */
  async function inBrowser(script: string, ...args: unknown[]): Promise<unknown> {
    await call('Marionette:SetContext', { value: 'chrome' })
    try {
      return await send('ExecuteScript', { script, args })
    } finally {
      await call('Marionette:SetContext', { value: 'content' })
    }
  }

  async function open(url: string, conditions: Conditions) {
    const { popups, window, scripts, screen } = conditions
    const start = written.length
    const first = await send('GetWindowHandle')
    const { handle } = (await send('NewWindow', { type: 'window', private: window === 'private' })) as {
      handle: string
    }
    await send('SwitchToWindow', { handle })
    await inBrowser(PREPARE, url, popups === 'allowed', scripts !== 'off', window === 'private')
    const isPhone = screen === 'phone'
    const resize = async (width: number) => void (await inBrowser(RESIZE, width, PHONE.height))
    if (isPhone) await resize(PHONE.width)
    await send('Navigate', { url })
    return viewerOf(send, conditions, {
      pointer: isPhone ? 'touch' : 'mouse',
      resize,
      async complaints() {
        // The browser's own begin with the names of its parts.
        const lines = written.slice(start).split('\n')
        const said = lines.filter((line) => /^console\.(?:error|warn): ["(]/.test(line))
        const complaints = [...said, ...((await inBrowser(COMPLAINTS, new URL(url).origin)) as string[])]
        // A slow machine draws a heading later than the browser expects the face it was told to load.
        return complaints.filter((text) => !/display\.\w+\.woff2.* was not used within a few seconds/.test(text))
      },
      // Switching to the tab restores it.
      unload: async () => void (await inBrowser(DISCARD)),
      allowInBar: async () => (await inBrowser(ALLOW)) as string[],
      addSearch: async (keyword) => (await inBrowser(ADD_SEARCH, keyword)) as string,
      async search(keyword, text) {
        await call('Marionette:SetContext', { value: 'chrome' })
        try {
          const bar = (await send('FindElement', { using: 'css selector', value: '.urlbar-input' })) as object
          const [id] = Object.values(bar)
          await send('ExecuteScript', { script: 'gURLBar.searchMode = null', args: [] })
          await send('ElementClear', { id })
          // A keyword is recognised by the space after it.
          await send('ElementSendKeys', { id, text: `${keyword} ` })
          await send('ExecuteScript', { script: SEARCHES, args: [''] })
          await send('ElementSendKeys', { id, text })
          await send('ExecuteScript', { script: SEARCHES, args: [text] })
          await send('ElementSendKeys', { id, text: ENTER })
        } finally {
          await call('Marionette:SetContext', { value: 'content' })
        }
      },
      async close() {
        const handles = (await send('GetWindowHandles')) as string[]
        for (const handle of handles.filter((handle) => handle !== first)) {
          await send('SwitchToWindow', { handle })
          await send('CloseWindow')
        }
        await send('SwitchToWindow', { handle: first })
      },
    })
  }

  /** Sends keys to the address bar, after what it has or instead. */
  async function sendToBar(text: string, isAnew: boolean): Promise<void> {
    await call('Marionette:SetContext', { value: 'chrome' })
    try {
      const [id] = Object.values(
        (await send('FindElement', { using: 'css selector', value: '.urlbar-input' })) as object,
      )
      if (isAnew) await send('ElementClear', { id })
      await send('ElementSendKeys', { id, text })
    } finally {
      await call('Marionette:SetContext', { value: 'content' })
    }
  }

  return {
    name: `Firefox ${started.capabilities.browserVersion}`,
    open,
    async install(folder) {
      const id = unwrap(await call('Addon:Install', { path: folder, temporary: true }))
      return String(await inBrowser('return WebExtensionPolicy.getByID(arguments[0]).getURL("")', id))
    },
    inBrowser,
    allow: async () => String(await inBrowser(ALLOW_PERMISSION)),
    async typeInBar(text) {
      await sendToBar(text, true)
      return async () => (await inBrowser(ROWS)) as string[]
    },
    enter: () => sendToBar(ENTER, false),
    async stop() {
      await call('Marionette:Quit', { flags: ['eForceQuit'] })
      await Promise.all([child.exited, reading])
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

const PREPARE = `
  const [url, isAllowed, hasScripts, isPrivate] = arguments
  Services.console.reset()
  Services.prefs.setBoolPref('javascript.enabled', hasScripts)
  Services.perms.removeAll()
  const attributes = isPrivate ? { privateBrowsingId: 1 } : {}
  const page = Services.scriptSecurityManager.createContentPrincipal(Services.io.newURI(url), attributes)
  if (isAllowed) Services.perms.addFromPrincipal(page, 'popup', Services.perms.ALLOW_ACTION)
`

// Its windows are wider than a phone, so the page gets a part of one.
const RESIZE = `
  const [width, height] = arguments
  const page = gBrowser.selectedBrowser
  page.browsingContext.touchEventsOverride = 'enabled'
  page.style.minWidth = page.style.maxWidth = width + 'px'
  page.style.minHeight = page.style.maxHeight = height + 'px'
`

// Among those of the browser itself.
const COMPLAINTS = `
  const [origin] = arguments
  return Services.console.getMessageArray()
    .filter((one) => one instanceof Ci.nsIScriptError && one.sourceName.startsWith(origin) && !(one.flags & one.infoFlag))
    .map((one) => one.errorMessage)
`

const DISCARD = `
  return (async () => {
    const tab = gBrowser.selectedTab
    gBrowser.selectedTab = gBrowser.addTrustedTab('about:blank')
    await gBrowser.prepareDiscardBrowser(tab)
    while (!gBrowser.discardBrowser(tab, true)) await new Promise((resolve) => setTimeout(resolve, 50))
    const restored = new Promise((resolve) => tab.addEventListener('SSTabRestored', resolve, { once: true }))
    gBrowser.selectedTab = tab
    await restored
  })()
`

// The button waits a moment before it can be pressed.
const ALLOW = `
  const bar = gBrowser.getNotificationBox(gBrowser.selectedBrowser).getNotificationWithValue('popup-blocked')
  const button = bar.buttonContainer.querySelector('button')
  const menu = document.getElementById('blockedPopupOptions')
  return (async () => {
    while (button.disabled) await new Promise((resolve) => setTimeout(resolve, 50))
    const shown = new Promise((resolve) => menu.addEventListener('popupshown', resolve, { once: true }))
    button.click()
    await shown
    const item = document.getElementById('blockedPopupAllowSite')
    const words = [button.label, item.label]
    menu.activateItem(item)
    return words
  })()
`

// The button waits a moment before it can be pressed.
const ALLOW_PERMISSION = `
  return (async () => {
    const question = () => document.querySelector('#notification-popup popupnotification')
    while (!question()) await new Promise((resolve) => setTimeout(resolve, 50))
    const text = document.getElementById('notification-popup').textContent
    while (question()) {
      question().button.click()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return text
  })()
`

const ROWS = `return gURLBar.view.visibleResults.map(({ payload }) => payload.title ?? '')`

const ENTER = '\uE007'

const ADD_SEARCH = `
  const [keyword] = arguments
  const { OpenSearchManager } = ChromeUtils.importESModule('moz-src:///browser/components/search/OpenSearchManager.sys.mjs')
  const { SearchService } = ChromeUtils.importESModule('moz-src:///toolkit/components/search/SearchService.sys.mjs')
  return (async () => {
    let found
    while (!(found = OpenSearchManager.getEngines(gBrowser.selectedBrowser)?.[0])) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await SearchService.init()
    const search = await SearchService.addOpenSearchEngine(found.uri, null)
    search.alias = keyword
    return search.name
  })()
`

/** Waits until the bar offers to search a text. */
const SEARCHES = `
  const [text] = arguments
  const isReady = () => gURLBar.searchMode && (text === '' || gURLBar.view.visibleResults[0]?.payload.query === text)
  return (async () => {
    while (!isReady()) await new Promise((resolve) => setTimeout(resolve, 50))
  })()
`

/** Values come as they are, or in an object of their own. */
function unwrap(answer: unknown): unknown {
  const isWrapped = typeof answer === 'object' && answer !== null && 'value' in answer
  return isWrapped ? answer.value : answer
}

type Call = (name: string, input: object) => Promise<unknown>

/** Connects to Marionette: JSON messages over TCP, each after its length and a colon. */
async function marionette(port: number): Promise<Call> {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let rest = Buffer.alloc(0)
  let sent = 0
  const greeted = Promise.withResolvers<void>()
  function take(message: unknown): void {
    // Firefox greets with an object; answers are lists.
    if (!Array.isArray(message)) {
      greeted.resolve()
      return
    }
    const [, id, error, answer] = message as [1, number, { message: string } | null, unknown]
    const waiting = pending.get(id)
    pending.delete(id)
    if (error === null) waiting?.resolve(answer)
    else waiting?.reject(new Error(error.message))
  }
  const socket = await connected(
    () =>
      Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          data(_, bytes) {
            rest = Buffer.concat([rest, bytes])
            for (;;) {
              const colon = rest.indexOf(':')
              const end = colon + 1 + Number(rest.subarray(0, Math.max(colon, 0)))
              if (colon < 0 || rest.length < end) return
              const message = JSON.parse(rest.subarray(colon + 1, end).toString())
              rest = rest.subarray(end)
              take(message)
            }
          },
          close() {
            for (const { reject } of pending.values()) reject(new Error('Firefox closed the connection'))
          },
        },
      }),
    'Firefox listens for Marionette',
  )
  await greeted.promise
  return (name, input) => {
    sent += 1
    const waiting = Promise.withResolvers<unknown>()
    pending.set(sent, waiting)
    const message = JSON.stringify([0, sent, name, input])
    socket.write(`${Buffer.byteLength(message)}:${message}`)
    return waiting.promise
  }
}
