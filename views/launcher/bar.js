// @ts-check
// What one can do with all tabs besides opening them.

{
  const copy = /** @type {HTMLElement} */ (document.getElementById('copy'))
  const tabs = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a.tab'))
  const qr = /** @type {HTMLDetailsElement} */ (document.querySelector('details.qr'))

  // Rules may depend on the query and the referrer, and the file and a copy must have the tabs that this viewer sees.
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll('#bookmarks, #own-copy')
  )) {
    // After a password, the file is in the page.
    if (link.protocol === 'data:') continue
    link.search = location.search
    if (document.referrer !== '') {
      const { protocol, host } = new URL(document.referrer)
      const referrer = encodeURIComponent(`${protocol}//${host}`)
      link.search += `${link.search === '' ? '?' : '&'}openall-referrer=${referrer}`
    }
  }

  copy.addEventListener('click', async () => {
    const isCopied = await copyText([...tabs].map((tab) => tab.href).join('\n'))
    const copied = tabs.length === 1 ? 'The link is copied.' : `All ${tabs.length} links are copied.`
    announce(isCopied ? copied : 'Your browser blocked copying.')
  })

  // A click elsewhere or Escape closes it; `details` would stay open.
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !qr.contains(target)) qr.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') qr.open = false
  })
}
