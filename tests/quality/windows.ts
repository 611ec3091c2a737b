/** A window in which axe checks a page. */
interface Window {
  width: number
  colorScheme: 'light' | 'dark'
}

const [PHONE, DESKTOP] = [390, 1280]
const [PHONE_LIGHT, PHONE_DARK, DESKTOP_LIGHT, DESKTOP_DARK] = [PHONE, DESKTOP].flatMap((width): [Window, Window] => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]) as [Window, Window, Window, Window]

/** The widths to open pages at. */
export const WIDTHS: readonly number[] = [PHONE, DESKTOP]

const WINDOWS = [PHONE_LIGHT, PHONE_DARK, DESKTOP_DARK, DESKTOP_LIGHT]

/** The windows in which axe checks a page that was opened at a width. */
export function windowsFor(width: number): readonly Window[] {
  return WINDOWS.filter((window) => window.width === width)
}
