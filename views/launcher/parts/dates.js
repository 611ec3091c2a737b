// @ts-check
import { dateOf, zoneOf } from '../../../src/core/dates.js'

// For launchers with dates, before fill.js: the service has filled in those of UTC, or of the zone in the address. Without one,
// the browser's own zone counts.

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const query = new URLSearchParams(location.search)
const asked = query.get('tz')
const zone = zoneOf(asked ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
const ofPage = /** @type {HTMLInputElement[]} */ ([
  ...main.querySelectorAll('.ask input[placeholder^="="]:not([required])'),
])
const dates = ofPage.map((field) => {
  const { placeholder: text, defaultValue: served } = field
  const date = dateOf(text, zone)
  // A date in the address was sent. It has no characters that an address must encode.
  const isOwn = /^[\dW-]+$/.test(served) && !location.href.includes(served)
  field.placeholder = date
  // Empty, so that no copied link keeps the date of today.
  if (isOwn) field.defaultValue = ''
  return { text, date, isOwn, isOther: isOwn && served !== date, isDeciding: 'decides' in field.dataset }
})

if (asked === null) {
  query.set('tz', zone)
  // Only the service knows which tabs there are on another day.
  if (dates.some(({ isOther, isDeciding }) => isOther && isDeciding)) location.replace(`?${query}`)
  const file = /** @type {HTMLAnchorElement | null} */ (main.querySelector('#bookmarks'))
  if (file !== null && dates.some(({ isOther }) => isOther)) {
    // After a password, the file is embedded in the page, with the dates of UTC.
    if (file.protocol === 'data:') file.remove()
    // After fill.js, which writes its address too.
    else
      document.addEventListener(
        'DOMContentLoaded',
        () => (file.search += `${file.search ? '&' : '?'}tz=${encodeURIComponent(zone)}`),
      )
  }
}

/** A page that was left open must not open the tabs of yesterday. */
const renew = () => {
  if (document.hidden) return
  if (dates.some(({ text, date, isOwn }) => isOwn && dateOf(text, zone) !== date)) location.reload()
}
document.addEventListener('visibilitychange', renew)
addEventListener('pageshow', renew)
