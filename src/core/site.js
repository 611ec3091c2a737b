// @ts-check
// The site of a link. Also part of the dashboard's script.

const SITE = /^https?:\/\/[^/?#\\]+/i

/**
 * The URL of a link without what follows its host, which may be long, since a page may have hundreds; null if it has none.
 * @param {string} url
 * @returns {URL | null}
 */
export function siteIn(url) {
  const [site] = SITE.exec(url) ?? [url]
  return URL.canParse(site) ? new URL(site) : null
}
