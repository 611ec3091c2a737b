// @ts-check

// Dragging by the handle, with a mouse, a pen or a finger.
document.addEventListener('pointerdown', (event) => {
  const grip = event.target instanceof Element ? event.target.closest('.grip') : null
  const row = linkOf(grip)
  if (!(grip instanceof HTMLElement) || row === null || event.button !== 0) return
  event.preventDefault()
  const start = linkPlace(row)
  const middle = (/** @type {Element} */ other) => {
    const { top, height } = other.getBoundingClientRect()
    return top + height / 2
  }
  const drag = (/** @type {PointerEvent} */ { clientY }) => {
    const { previousElementSibling: above, nextElementSibling: below } = row
    if (above !== null && clientY < middle(above)) row.after(above)
    else if (below !== null && clientY > middle(below)) row.before(below)
    if (clientY < 60) window.scrollBy(0, -16)
    if (clientY > window.innerHeight - 100) window.scrollBy(0, 16)
  }
  const end = () => {
    grip.removeEventListener('pointermove', drag)
    row.classList.remove('dragged')
    if (linkPlace(row) === start) return
    takeSection(row)
    listChanged(`Link moved to ${linkPlace(row)}${placeName(row)}`)
  }
  row.classList.add('dragged')
  grip.setPointerCapture(event.pointerId)
  grip.addEventListener('pointermove', drag)
  grip.addEventListener('lostpointercapture', end, { once: true })
})
