// @ts-check

// Leads to a link of the launcher that opened this tab, after cutting the tab off from it.
{
  const wanted = decodeURIComponent(location.hash.slice(1))
  /** @type {Window | null} */
  const launcher = opener
  const link = [...(launcher?.document.links ?? [])].find(({ href }) => href === wanted)
  window.opener = null
  // Only what the launcher has, or this page would lead anywhere.
  if (link !== undefined) location.replace(link.href)
}
