/** Under which conditions a launcher is visited. */
export interface Conditions {
  /** `as-is`: the blocker as the browser comes; `allowed`: pop-ups are allowed for the page. */
  popups: 'as-is' | 'allowed'
  window?: 'private'
  scripts?: 'off'
}

/** A launcher in one browser. Every action first returns to its tab, as a viewer does. */
export interface Viewer {
  /** Clicks what a CSS selector finds. */
  click(selector: string, button?: 'left' | 'middle'): Promise<void>
  /** Clicks as fast as the browser takes it, without looking at what opens. */
  tap(selector: string, times: number): Promise<void>
  press(key: 'Tab' | 'Enter'): Promise<void>
  /** The value of an expression in the page. */
  read<Value>(expression: string): Promise<Value>
  reload(): Promise<void>
  /** Has the browser drop the page from memory, and load it again when the viewer is back. */
  unload(): Promise<void>
  /** Goes to another page, and back. */
  leaveAndReturn(): Promise<void>
  /** Allows pop-ups in the bar that the browser shows. @returns the words on what it pressed. */
  allowInBar?(): Promise<string[]>
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
