/** Under which conditions a launcher is visited. */
export interface Conditions {
  /** `as-is`: the blocker as the browser comes; `allowed`: pop-ups are allowed for the page. */
  popups: 'as-is' | 'allowed'
  window?: 'private'
  scripts?: 'off'
  /** 390 by 844 pixels, and clicks are touches where the engine can be touched: MiniBrowser cannot. */
  screen?: 'phone'
}

/** The window of a phone. */
export const PHONE = { width: 390, height: 844 }

/** With which button or key a link is clicked. */
type Click = 'left' | 'middle' | 'with Ctrl'

/** An element as the accessibility tree has it. */
interface Focused {
  role: string
  name: string
}

/** Somebody at a page in one browser. Every action first returns to its tab, as a viewer does. */
export interface Viewer {
  goTo(url: string): Promise<void>
  /** Clicks what a CSS selector, or an XPath that begins with `//`, finds first. */
  click(selector: string, how?: Click): Promise<void>
  /** Clicks as fast as the browser takes it, without looking at what opens. */
  tap(selector: string, times: number): Promise<void>
  /** Presses a key such as `Enter`, or several at once such as `Shift+Tab`, named as in events of keyboards. */
  press(keys: string): Promise<void>
  /** Types a text where the focus is. */
  type(text: string): Promise<void>
  /** What has the focus, as the browser tells programs that read the screen. */
  focused(): Promise<Focused>
  /** Types a text into a field, instead of what it has. */
  fill(selector: string, text: string): Promise<void>
  /** Chooses an option by its value. */
  choose(selector: string, value: string): Promise<void>
  /** Drags the middle of one element to the top of another. */
  drag(selector: string, onto: string): Promise<void>
  /** The value of an expression in the page. */
  read<Value>(expression: string): Promise<Value>
  /** The values of an expression in the tabs that it opened. */
  readInOthers?(expression: string): Promise<unknown[]>
  reload(): Promise<void>
  /** Has the browser drop the page from memory, and load it again when the viewer is back. */
  unload(): Promise<void>
  /** Goes to another page, and back. */
  leaveAndReturn(): Promise<void>
  /** On a phone, makes the window as wide as another one. MiniBrowser's is never narrower than 334 pixels. */
  resize(width: number): Promise<void>
  /** What an element looks like, as a PNG. */
  picture(selector: string): Promise<Buffer>
  /** Allows pop-ups in the bar that the browser shows. @returns the words on what it pressed. */
  allowInBar?(): Promise<string[]>
  /** Adds the search that the page announces, with a keyword. @returns its name. */
  addSearch?(keyword: string): Promise<string>
  /** Types a keyword and what is searched into the address bar, and presses Enter. */
  search?(keyword: string, text: string): Promise<void>
  /**
   * Errors and warnings so far in the console, of pages at the origin of the first one: what pages write, scripts that
   * fail, what the CSP forbids. WebKit keeps those of automated windows to itself.
   */
  complaints?(): Promise<string[]>
  /** Closes the launcher and the tabs it opened. */
  close(): Promise<void>
}

/** A running browser. */
export interface Engine {
  /** Its name and version, as docs/browsers.md shows it. */
  name: string
  open(url: string, conditions: Conditions): Promise<Viewer>
  stop(): Promise<void>
}

/** The browser's process for a page has died, which says nothing about the page. */
export class PageCrash extends Error {}
