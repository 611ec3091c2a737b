// @ts-check

// Escape closes a definition, which reappears on the next hover or focus.
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  for (const tip of document.querySelectorAll('.tip:is(:hover, :focus-within)')) tip.setAttribute('data-closed', '')
})
for (const leaves of ['pointerout', 'focusout']) {
  document.addEventListener(leaves, (event) => {
    const { target, relatedTarget } = /** @type {FocusEvent} */ (event)
    const tip = target instanceof Element ? target.closest('.tip[data-closed]') : null
    if (!(relatedTarget instanceof Node && tip?.contains(relatedTarget))) tip?.removeAttribute('data-closed')
  })
}
