// @ts-check

// Leads to a link of the launcher that opened this tab, after cutting the tab off from it. Anybody can write an address of
// this page, so it leads nowhere else (docs/security.md).
{
  /** @param {Window | null} launcher @returns {HTMLAnchorElement[]} */
  const linksOf = (launcher) => {
    try {
      return [.../** @type {NodeListOf<HTMLAnchorElement>} */ (launcher?.document.querySelectorAll('main a.tab') ?? [])]
    } catch {
      // Another site opened this tab.
      return []
    }
  }
  const wanted = location.hash.slice(1)
  const link = linksOf(opener).find(({ href }) => encodeURIComponent(href) === wanted)
  window.opener = null
  if (link !== undefined) location.replace(link.href)
}
