import { MATRIX } from '../server.ts'

/** The windows that pages are shown to axe in. */
interface Shown {
  width: number
  colorScheme: 'light' | 'dark'
}

const [PHONE, DESK] = [390, 1280]
const [PHONE_LIGHT, PHONE_DARK, DESK_LIGHT, DESK_DARK] = [PHONE, DESK].flatMap((width): [Shown, Shown] => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]) as [Shown, Shown, Shown, Shown]

/** The widths that a page is opened at in this run: a phone in the usual one, a desk in the full one. */
export const WIDTHS: readonly number[] = { usual: [PHONE], rest: [DESK], all: [PHONE, DESK] }[MATRIX]

const SHOWN = {
  usual: [PHONE_LIGHT],
  rest: [DESK_DARK, PHONE_DARK, DESK_LIGHT],
  all: [PHONE_LIGHT, PHONE_DARK, DESK_DARK, DESK_LIGHT],
}[MATRIX]

/** The windows that what was opened at a width is shown to axe in: one in the usual run, the other three in the full one. */
export function shownFrom(width: number): readonly Shown[] {
  return SHOWN.filter((shown) => WIDTHS.length === 1 || shown.width === width)
}
