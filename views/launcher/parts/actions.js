// @ts-check

import { copyLinks } from '../../parts/copy.js'
import { announce } from './announce.js'

/** The links to what is made of this launcher. */
export const ownLinks = () =>
  /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('#bookmarks, #own-copy, #remind'))

/** The other actions for all tabs: copy, the file, the QR code and a copy. @param {HTMLAnchorElement[]} all */
export function offerActions(all) {
  const copy = /** @type {HTMLElement} */ (document.getElementById('copy'))
  const qr = /** @type {HTMLDetailsElement} */ (document.querySelector('details.qr'))

  // Rules may read the query and the referrer, and the file and a copy must have the tabs of this viewer.
  for (const link of ownLinks()) {
    // After a password, the file is embedded in the page.
    if (link.protocol === 'data:') continue
    link.search = location.search
    if (document.referrer !== '') {
      const { protocol, host } = new URL(document.referrer)
      const referrer = encodeURIComponent(`${protocol}//${host}`)
      link.search += `${link.search === '' ? '?' : '&'}openall-referrer=${referrer}`
    }
  }

  copy.addEventListener('click', async () => {
    // A tab without a title is named after its host, which is then not repeated before its address.
    const titleOf = (/** @type {HTMLElement} */ tab) =>
      tab.querySelector('.host') && tab.querySelector('.name')?.textContent
    const isCopied = await copyLinks([...all].map((tab) => ({ title: titleOf(tab) ?? '', url: tab.href })))
    const copied = all.length === 1 ? 'The link is copied.' : `All ${all.length} links are copied.`
    announce(isCopied ? copied : 'Your browser blocked copying.')
  })

  // Unlike plain `details`, it closes on a click elsewhere or Escape.
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !qr.contains(target)) qr.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') qr.open = false
  })
}
