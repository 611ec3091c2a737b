// @ts-check

/** Opened links that are not reported yet, as stored in the bundle: with placeholders, not values. @type {Set<string>} */
const openedLinks = new Set()

/**
 * Reports an event to the service, even if the page is left.
 * @param {object} event
 * @param {string | undefined} [slug] of the bundle; by default that of this launcher.
 */
export function tell(event, slug = document.querySelector('main')?.dataset.slug) {
  // The launcher on the home page has no slug.
  if (!slug) return
  const send = (/** @type {boolean} */ keepalive) =>
    fetch(`/api/links/${slug}/events`, {
      method: 'POST',
      keepalive,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    })
  // A beacon would seem sent even if a blocker drops it. Requests that outlive the page are limited to 64 KiB in total.
  send(true)
    .catch(() => send(false))
    .catch(() => {})
}

/** The most links that one report may name; a rule can show more tabs. */
const MOST_LINKS = 25

/** Reports the opened links. */
export function tellOpened() {
  const urls = [...openedLinks]
  openedLinks.clear()
  while (urls.length > 0) tell({ kind: 'open_tabs', urls: urls.splice(0, MOST_LINKS) })
}

/** Counts an opened tab. @param {HTMLAnchorElement} tab */
export function countOpened(tab) {
  const url = tab.dataset.link ?? tab.getAttribute('href') ?? ''
  // The same link again is another opening.
  if (openedLinks.has(url)) tellOpened()
  if (openedLinks.size === 0) setTimeout(tellOpened, 1000)
  openedLinks.add(url)
}

// Tabs that open in front hide the page, which may never be visible again.
document.addEventListener('visibilitychange', tellOpened)
addEventListener('pagehide', tellOpened)
