// @ts-check

// Redirects to a link of the launcher that opened this tab, after removing the tab's opener. Anybody can write an address of this
// page, so it redirects nowhere else (docs/security.md).
/** @param {Window | null} launcher @returns {HTMLAnchorElement[]} */
const linksOf = (launcher) => {
  try {
    return [.../** @type {NodeListOf<HTMLAnchorElement>} */ (launcher?.document.querySelectorAll('main a.tab') ?? [])]
  } catch {
    // A page of another site opened this tab.
    return []
  }
}
const wanted = location.hash.slice(1)
const link = linksOf(opener).find(({ href }) => encodeURIComponent(href) === wanted)
window.opener = null
if (link !== undefined) location.replace(link.href)
