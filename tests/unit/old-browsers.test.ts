import { expect, test } from 'bun:test'
import { asset, assetAt, assetNames } from '../../views/parts/static.ts'
import { lackingAt, TARGETS } from './support.ts'
import { usedInScripts } from './used-in-scripts.ts'
import { usedInStyles } from './used-in-styles.ts'

// What the pages use, as it is served, against MDN's data of what browsers know. What the oldest supported ones lack is
// listed here with what is lost there; anything else fails.

/** By place in the data, which includes the places below it. */
const LOSSES: Record<string, string> = {
  'api/Clipboard/write': 'the old command copies links with their titles',
  'api/ClipboardItem': 'as for Clipboard.write',
  'api/Document/startViewTransition': 'htmx asks for it first, and our pages do not use it',
  'api/Element/auxclick_event': 'Safari before 18.2 sends `click` for the middle button',
  'api/KeyboardEvent/isComposing': 'Safari ends the word before the key that ends it, which is known by its code',
  'api/KeyboardEvent/repeat':
    'when several keys are held down, Chrome before 137 opens the palette for the last of them again',
  'api/Navigator/userActivation': 'only browsers that have it take the extension',
  'api/Navigator/share': 'the button is shown only where it works',
  'api/UserActivation': 'as for Navigator.userActivation',
  'api/ViewTransition': 'htmx asks for it first, and our pages do not use it',
  'api/Window/beforeunload_event': 'iPhones do not warn of leaving unsaved changes',
  'api/Window/open': 'phones open tabs, as meant here',
  'api/Window/navigation': 'htmx asks for it first',
  'css/at-rules/media/forced-colors': 'there are no forced colours',
  'css/at-rules/media/scripting': 'Chrome 119 shows the dashboard as it looks without scripts',
  'css/properties/accent-color': 'a tick may have little contrast',
  'css/properties/box-decoration-break': 'a value over several lines is round at its ends alone',
  'css/properties/content-visibility': 'as for details-content',
  'css/properties/cursor': 'phones have no cursor',
  'css/properties/field-sizing': 'a text is as high as at first, and scrolls',
  'css/properties/forced-color-adjust': 'marks have the colours that the viewer forces',
  'css/properties/mask': 'the bar of the browser that blocks pop-ups is not drawn',
  'css/properties/mask-image': 'as for mask; the example does not fade',
  'css/properties/outline': 'the focus ring has sharp corners',
  'css/properties/resize': 'phones have no mouse to resize with',
  'css/properties/rx': 'bars of charts have sharp corners',
  'css/properties/scroll-initial-target': 'the preview starts at the top',
  'css/properties/scrollbar-width': 'a scroll bar shows below tags that do not fit',
  'css/properties/text-wrap': 'lines break where they are full',
  'css/selectors/-webkit-search-cancel-button': 'Firefox has no button in a search field that would have to make room',
  'css/selectors/details-content': 'what is folded is not printed, the QR code neither',
  'css/selectors/dir': 'progress and arrows run from left to right',
  'css/selectors/has': 'some rows and bars have a plainer form, and the end of a page may be below the bar',
  'css/selectors/selection': 'selected text has the colours of the system',
  'css/types/color/color-mix': 'a row does not change under the mouse',
}

const LAUNCHER = /^(?:launcher|values|fill|hints|handover|scriptless|countdown|away)\./
const targetsOf = (name: string) => TARGETS[LAUNCHER.test(name) ? 'launcher' : 'dashboard']
const namesOf = (kind: string) => assetNames.filter((name) => name.endsWith(kind))
const bodyOf = (name: string) => String(assetAt(asset(name))?.body ?? '')

const NEW_SCRIPT =
  'const { at } = [1]; document.body.moveBefore(at, null); Object.groupBy([], String); /(?<=a)b/v.test("b")'
// Together, because reading the types of the library takes longest.
const { 'new.js': newScript, ...scripts } = Object.fromEntries(
  usedInScripts({ ...Object.fromEntries(namesOf('.js').map((name) => [name, bodyOf(name)])), 'new.js': NEW_SCRIPT }),
)
const styles = new Map(namesOf('.css').map((name) => [name, usedInStyles(bodyOf(name))]))
const features = new Map([
  ...Object.entries(scripts),
  ...[...styles].map(([name, used]) => [name, used.features] as const),
])

test.each([...features.keys()])('%s uses what the oldest supported browsers know, or loses little there', (name) => {
  const used = [...(features.get(name) ?? [])]
  // Otherwise nothing was understood.
  expect(used.length).toBeGreaterThan(5)
  const lacking = used.flatMap((path) => lackingAt(path, targetsOf(name)).map((browser) => `${path}: ${browser}`))
  expect(lacking.filter((line) => lossOf(line) === undefined)).toEqual([])
})

test('every loss in the list is still one', () => {
  const lacking = [...features].flatMap(([name, used]) =>
    [...used].filter((path) => lackingAt(path, targetsOf(name)).length > 0),
  )
  const losses = new Set(lacking.map((path) => lossOf(path)))
  expect(Object.keys(LOSSES).filter((loss) => !losses.has(loss))).toEqual([])
})

test.each([...styles.keys()])('%s has no selector that takes others with it where it is unknown', (name) => {
  const isLacking = (selector: string) =>
    [...usedInStyles(`${selector} {}`).features].some((path) => lackingAt(path, targetsOf(name)).length > 0)
  const mixed = styles.get(name)?.lists.filter((list) => list.some(isLacking) && !list.every(isLacking))
  expect(mixed).toEqual([])
})

test('what the old versions are said to lack, they lack', () => {
  const dashboard = TARGETS.dashboard
  expect(lackingAt('css/types/color/light-dark', dashboard)).toContainEqual(expect.stringContaining('since 123'))
  expect(lackingAt('css/selectors/nesting', dashboard)).toContainEqual(expect.stringContaining('safari 17.1'))
  const { features } = usedInStyles(
    'a { b { color: light-dark(#fff, #000) } } @media (width < 9em) { a { width: 9dvh } }',
  )
  expect([...features].sort()).toEqual([
    'css/at-rules/media',
    'css/at-rules/media/range_syntax',
    'css/at-rules/media/width',
    'css/properties/color',
    'css/properties/width',
    'css/selectors/nesting',
    'css/types/color/light-dark',
    'css/types/length/viewport_percentage_units_dynamic',
  ])
  expect([...(newScript ?? [])]).toEqual(
    expect.arrayContaining([
      'javascript/builtins/Array/at',
      'api/Element/moveBefore',
      'javascript/builtins/Object/groupBy',
      'javascript/builtins/RegExp/unicodeSets',
      'javascript/regular_expressions/lookbehind_assertion',
    ]),
  )
})

function lossOf(path: string): string | undefined {
  return Object.keys(LOSSES).find((loss) => path === loss || path.startsWith(`${loss}/`) || path.startsWith(`${loss}:`))
}
