// @ts-check

// A double click that began on another site must not end here: that site may close or move its own window between the two
// presses. So nothing is sent in the first second in which this page can be seen. The style sheet keeps pointers away from the
// moment the page is loaded, also without scripts; this does so again whenever the page comes back into view.
const INERT_MS = 1000

let seenAt = performance.now()
const seen = () => {
  seenAt = performance.now()
  const buttons = document.querySelector('.consent .send')
  buttons?.animate([{ pointerEvents: 'none' }, { pointerEvents: 'none' }], INERT_MS)
}
addEventListener('focus', seen)
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) seen()
})
document.addEventListener('visibilitychange', seen)

document.addEventListener('submit', (event) => {
  if (performance.now() - seenAt >= INERT_MS) return
  event.preventDefault()
  announce('Read what the app asks for, then press again.')
})
