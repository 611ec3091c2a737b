// @ts-check
import { announce } from '../../parts/site.js'

// A double click that began on another site must not end here: that site can close or move its window between the two presses. So
// nothing is sent in the first second of visibility. The style sheet blocks pointers after loading, also without scripts; this
// script blocks them again whenever the page returns into view.
const INERT_MS = 1000

let seenAt = performance.now()
const seen = () => {
  seenAt = performance.now()
  const buttons = document.querySelector('.consent .send')
  buttons?.animate([{ pointerEvents: 'none' }, { pointerEvents: 'none' }], INERT_MS)
}
addEventListener('focus', seen)
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) seen()
})
document.addEventListener('visibilitychange', seen)

document.addEventListener('submit', (event) => {
  if (performance.now() - seenAt >= INERT_MS) return
  event.preventDefault()
  announce('Read what the app asks for, then press again.')
})
