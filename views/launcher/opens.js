// @ts-check

/** Links that were opened and not told yet, as the bundle has them: with placeholders, whatever was filled in. @type {Set<string>} */
const openedLinks = new Set()

/** Tells of them in one request, which the browser sends even if the page goes away. */
function tellOpened() {
  if (openedLinks.size === 0) return
  const { slug } = /** @type {HTMLElement} */ (document.querySelector('main')).dataset
  // Some browsers are set to have no beacons; the launcher on the home page has no slug.
  if (slug)
    navigator.sendBeacon?.(`/api/links/${slug}/events`, JSON.stringify({ kind: 'open_tabs', urls: [...openedLinks] }))
  openedLinks.clear()
}

/** Counts a tab that was opened. @param {HTMLAnchorElement} tab */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function countOpened(tab) {
  const url = tab.dataset.link ?? tab.getAttribute('href') ?? ''
  // Once more the same is another opening.
  if (openedLinks.has(url)) tellOpened()
  if (openedLinks.size === 0) setTimeout(tellOpened, 1000)
  openedLinks.add(url)
}

// Tabs that open in front hide the page, and it may not come back.
document.addEventListener('visibilitychange', tellOpened)
addEventListener('pagehide', tellOpened)
