import { Browser, BrowserErrorCaptureEnum } from 'happy-dom'
import { DESKTOP } from '../browser/devices.ts'
import { eventually } from '../eventually.ts'

// A page of the service with its own scripts, unmodified, in happy-dom: a tenth of a second instead of two. It has neither layout
// nor the rules of focus, and follows no link: what depends on those is tested in browsers.

/** The window of a page; only what tests use of it is typed. */
type PageWindow = typeof globalThis

export interface ScriptedPage {
  window: PageWindow
  /** Addresses that its script has opened in tabs or somebody has followed, in order. */
  opened: readonly string[]
  /** What its scripts have thrown or printed. */
  complaints(): string
  /** The only element that matches. */
  one<E extends HTMLElement = HTMLElement>(selector: string): E
  count(selector: string): number
  text(selector: string): string
  /** Presses a button, as a person does: browsers open tabs only within a click. */
  press(selector: string): void
  /** Types into a field, in place of what it has. */
  type(selector: string, value: string): void
  key(selector: string, key: string): void
  /** As if the page were left, when it tells the service what it knows. */
  leave(): void
  close(): Promise<void>
}

interface Opening {
  /** How many tabs the browser's blocker lets one press open. */
  perPress?: number
}

/** Opens a page and runs its scripts. */
export async function openScripted(
  url: string,
  { perPress = Number.POSITIVE_INFINITY }: Opening = {},
): Promise<ScriptedPage> {
  const browser = new Browser({
    settings: {
      enableJavaScriptEvaluation: true,
      suppressInsecureJavaScriptEnvironmentWarning: true,
      disableCSSFileLoading: true,
      handleDisabledFileLoadingAsSuccess: true,
      navigator: { userAgent: DESKTOP },
      errorCapture: BrowserErrorCaptureEnum.processLevel,
    },
  })
  const page = browser.newPage()
  const opened: string[] = []
  let allowed = 0
  const open = (href: string) => {
    allowed -= 1
    if (allowed < 0) return null
    opened.push(href)
    return newView()
  }
  await page.goto(url, {
    beforeContentCallback(window) {
      window.eval(ASKS_ANOTHER)
      // Its text is then a native function's, as a browser's own is.
      Object.assign(window, { open: open.bind(null) })
      Object.defineProperty(window.document, 'referrer', { value: '' })
    },
  })
  const window = page.mainFrame.window as unknown as PageWindow
  const { document } = window
  // Its own wait would be for timers too, of which a countdown always has one.
  await eventually(() => document.readyState === 'complete', 'the page has loaded')
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[target]')
    if (link === null) return
    event.preventDefault()
    opened.push(link.href)
  })
  const one = <E extends HTMLElement>(selector: string): E => {
    const found = document.querySelectorAll<E>(selector)
    if (found.length !== 1) throw new Error(`${found.length} elements match ${selector}`)
    return found[0] as E
  }
  return {
    window,
    opened,
    complaints: () => page.virtualConsolePrinter.readAsString(),
    one,
    count: (selector) => document.querySelectorAll(selector).length,
    text: (selector) => one(selector).textContent.trim(),
    press(selector) {
      allowed = perPress
      one(selector).click()
    },
    type(selector, value) {
      const field = one<HTMLInputElement>(selector)
      field.value = value
      field.dispatchEvent(new window.InputEvent('input', { bubbles: true }))
    },
    key(selector, key) {
      allowed = perPress
      one(selector).dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    },
    leave: () => void window.dispatchEvent(new window.Event('pagehide')),
    close: () => browser.close(),
  }
}

/** A window that was opened, and stays. */
function newView(): object {
  const view = { opener: null, closed: false, addEventListener: () => {} }
  return Object.assign(view, { parent: view })
}

/** Scripts ask the getters of a window about another one; Bun's contexts forget which when they are asked so. */
const ASKS_ANOTHER = 'Reflect.get = (target, name, asked = target) => asked[name]'
