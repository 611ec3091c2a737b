import { eventually } from '../eventually.ts'
import type { Viewer } from './viewer.ts'

/** A button by its text; not one that is there only for Enter. */
export const button = (text: string) => `//button[not(@hidden) and ${shows(text)}]`

/** A link by its text. */
export const link = (text: string) => `//a[${shows(text)}]`

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
