// @ts-check

/**
 * Marks tabs, in the list and among the stubs beside the button, as opened or as next.
 * @param {HTMLAnchorElement[]} all all tabs of the launcher, in order.
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function marksOf(all) {
  const stubs = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.stubs i'))

  /** @param {HTMLAnchorElement} tab */
  const partsOf = (tab) => {
    const row = /** @type {HTMLElement} */ (tab.closest('li'))
    const stub = /** @type {HTMLElement} */ (stubs[all.indexOf(tab)])
    return { row, stub }
  }

  return {
    /** @param {HTMLAnchorElement} tab @param {number} place among those that are ticked one after another. */
    tick(tab, place) {
      const { row, stub } = partsOf(tab)
      row.classList.add('opened')
      stub.classList.add('done')
      for (const part of [row, stub]) part.style.setProperty('--i', String(place))
      const hidden = document.createElement('span')
      hidden.className = 'visually-hidden'
      hidden.textContent = ' (opened)'
      tab.append(hidden)
    },

    /** @param {HTMLAnchorElement} tab */
    untick(tab) {
      const { row, stub } = partsOf(tab)
      for (const part of [row, stub]) part.classList.remove('opened', 'done')
      tab.querySelector('.visually-hidden')?.remove()
    },

    /** Marks the one that the next press opens. @param {HTMLAnchorElement | undefined} next */
    point(next) {
      for (const tab of all) {
        const { row, stub } = partsOf(tab)
        row.classList.toggle('next', tab === next)
        stub.classList.toggle('now', tab === next)
      }
    },
  }
}
