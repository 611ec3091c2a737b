import { expect } from 'bun:test'
import { eventually } from '../eventually.ts'
import { newEmail, PASSWORD, type Person, signUp } from '../people.ts'
import type { Server } from '../server.ts'
import type { Kind } from './engines.ts'
import type { Viewer } from './viewer.ts'

/** A button by its text; not one that is there only for Enter. */
export const button = (text: string) => `//button[not(@hidden) and ${shows(text)}]`

/** A link by its text. */
export const link = (text: string) => `//a[${shows(text)}]`
/** A tab of a bundle by its name, which the navigation may have too. */
export const tab = (name: string) => `//nav[@aria-label = "This bundle"]//a[${shows(name)}]`

/** A field by its label, or by the name that it has for those who do not see it. */
export const field = (name: string) =>
  `//*[@id = //label[starts-with(normalize-space(), "${name}")]/@for] | //*[self::input or self::select or self::textarea][@aria-label = "${name}"]`

const shows = (text: string) => `normalize-space() = "${text}"`

/** Whether the page has loaded and htmx is idle: it moves the focus and attaches handlers a moment after a swap. */
const SETTLED = `document.readyState === 'complete'
  && document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling, .htmx-added') === null`

/** A busy machine needs long for a page. */
const PATIENCE_MS = 120_000

/** Somebody's way through the service. Every action waits for what it needs, and is followed by a page at rest. */
export class At {
  constructor(
    readonly origin: string,
    readonly viewer: Viewer,
  ) {}

  open(path: string): Promise<void> {
    return this.viewer.goTo(new URL(path, this.origin).href)
  }

  async click(selector: string): Promise<void> {
    await this.has(selector)
    await this.viewer.click(selector)
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.has(selector)
    await this.viewer.fill(selector, text)
  }

  /** Pastes into a field: the text arrives all at once, with its lines, which WebKit's driver does not type. */
  async paste(selector: string, text: string): Promise<void> {
    await this.click(selector)
    await this.viewer.read(`document.execCommand('insertText', false, ${JSON.stringify(text)})`)
  }

  /** Signs in with the password of the tests. */
  async signIn(email: string): Promise<void> {
    await this.open('/sign-in?next=/dashboard')
    await this.fill('[type=email]', email)
    await this.click('details:has([type=password]) > summary')
    await this.fill('[type=password]', PASSWORD)
    await this.viewer.press('Enter')
    // At rest: a page that is left while it loads complains of what it did not get.
    await this.#holds("location.pathname === '/dashboard'", 'signed in')
  }

  /** Presses Tab until something has the focus whose name begins, or is, so. Whatever has it on the way must have a name too. */
  async reach(name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const passed: string[] = []
    for (let presses = 0; presses < 100; presses += 1) {
      const at = await this.#focused()
      if (typeof name === 'string' ? at.name.startsWith(name) : name.test(at.name)) return
      passed.push(`${at.role} “${at.name}”`)
      if (at.name === '' && (await this.#isHeld())) throw new Error(`without a name: ${await this.#held()}`)
      await this.viewer.press(key)
    }
    throw new Error(`${key} does not reach ${name}, but ${passed.join(', ')}`)
  }

  /** Waits until a page at rest has put the focus on something that can be seen. @returns its name. */
  async holdsFocus(): Promise<string> {
    await this.#holds(
      'document.activeElement.matches(":not(body)") && document.activeElement.checkVisibility()',
      'focus',
    )
    return (await this.#focused()).name
  }

  /** Waits for the live regions to say something that contains a text. */
  async hears(text: string): Promise<void> {
    await this.#holds(
      `[...document.querySelectorAll('[aria-live], [role=status], [role=alert]')].some(({ textContent }) => textContent.includes(${JSON.stringify(text)}))`,
      `“${text}” in a live region`,
    )
  }

  /** What has the focus on a page at rest; meanwhile htmx may replace it. */
  async #focused() {
    for (;;) {
      await this.#holds('true', 'a page at rest')
      const found = await this.viewer.focused().catch((error) => {
        if (/stale|no such/.test(String(error))) return null
        throw error
      })
      if (found !== null) return found
    }
  }

  /** Whether a control has the focus, not the page or a part of it that was scrolled to. */
  #isHeld(): Promise<boolean> {
    return this.viewer.read('document.activeElement?.matches(":not(html, body, [tabindex=\'-1\'])") === true')
  }

  #held(): Promise<string> {
    return this.viewer.read('document.activeElement.outerHTML.slice(0, 200)')
  }

  /** Expects that no page of the service has complained in the console, if the browser tells. */
  async expectQuiet(): Promise<void> {
    expect((await this.viewer.complaints?.()) ?? [], 'in the console').toEqual([])
  }

  async choose(selector: string, value: string): Promise<void> {
    await this.has(selector)
    await this.viewer.choose(selector, value)
  }

  /** Waits until a page at rest shows an element. */
  has(selector: string): Promise<void> {
    const found = selector.startsWith('//')
      ? `document.evaluate(${JSON.stringify(selector)}, document, null, 9, null).singleNodeValue`
      : `document.querySelector(${JSON.stringify(selector)})`
    return this.#holds(`${found}?.checkVisibility() === true`, selector)
  }

  lacks(selector: string): Promise<void> {
    return this.#holds(`document.querySelector(${JSON.stringify(selector)}) === null`, `no ${selector}`)
  }

  /** Waits until a page at rest shows a text. */
  sees(text: string): Promise<void> {
    return this.#holds(`document.body.innerText.includes(${JSON.stringify(text)})`, text)
  }

  texts(selector: string): Promise<string[]> {
    return this.viewer.read(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent.trim())`,
    )
  }

  /** What is in the fields that a selector finds. */
  values(selector: string): Promise<string[]> {
    return this.viewer.read(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.value)`)
  }

  path(): Promise<string> {
    return this.viewer.read('location.pathname')
  }

  #holds(condition: string, what: string): Promise<void> {
    // A page that is just being left has no answer.
    const read = () => this.viewer.read<boolean>(`${SETTLED} && ${condition}`).catch(() => false)
    return eventually(read, what, PATIENCE_MS)
  }
}

/** Somebody with an account of their own, signed in in a browser of their own, which `leave` ends. */
export async function signedIn(kind: Kind, server: Server, name: string) {
  const engine = await kind.start()
  try {
    const owner: Person = await signUp(server, newEmail(name))
    const viewer = await engine.open(`${server.origin}/sign-in`, { popups: 'as-is' })
    const at = new At(server.origin, viewer)
    await at.signIn(owner.email)
    const leave = () => viewer.close().then(() => engine.stop())
    return { at, owner, leave }
  } catch (error) {
    await engine.stop()
    throw error
  }
}
