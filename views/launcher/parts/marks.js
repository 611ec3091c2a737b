// @ts-check

/**
 * Marks tabs as opened or next, in the list and among the stubs beside the button.
 * @param {HTMLAnchorElement[]} all all tabs of the launcher, in order.
 */
export function marksOf(all) {
  const stubs = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.stubs i'))

  /** @param {HTMLAnchorElement} tab */
  const partsOf = (tab) => {
    const row = /** @type {HTMLElement} */ (tab.closest('li'))
    const stub = /** @type {HTMLElement} */ (stubs[all.indexOf(tab)])
    return { row, stub }
  }

  return {
    /** @param {HTMLAnchorElement} tab @param {number} place the position among the tabs that are ticked in turn. */
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

    /** Marks the tab that the next press opens. @param {HTMLAnchorElement | undefined} next */
    point(next) {
      for (const tab of all) {
        const { row, stub } = partsOf(tab)
        row.classList.toggle('next', tab === next)
        stub.classList.toggle('now', tab === next)
      }
    },
  }
}
