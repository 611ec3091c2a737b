// @ts-check
import { siteIn } from '../../../src/core/site.js'
import { tileOf } from '../../parts/tile-of.js'

// The tile of a link follows its address while that is typed: the icon of its site if the page has it, otherwise a letter.

/** The icons that rows have, by site. @type {Map<string, HTMLImageElement>} */
const iconsOfSites = new Map()

/** @param {string} url */
const originOf = (url) => siteIn(url)?.origin ?? ''

/** @param {string} url */
function newTile(url) {
  const icon = showsIcons() ? iconsOfSites.get(originOf(url)) : undefined
  if (icon !== undefined) return icon.cloneNode()
  const { letter, hue } = tileOf(url)
  const tile = document.createElement('span')
  tile.className = `tile ${hue}`
  tile.ariaHidden = 'true'
  tile.textContent = letter
  return tile
}

/** The tile of the link whose address a field has. @param {EventTarget | null} target */
function tileBeside(target) {
  if (!(target instanceof HTMLInputElement) || target.name !== 'url') return null
  const tile = target.closest('#links > .link-row')?.querySelector('.line .tile')
  return tile ? { tile, url: target.value.trim() } : null
}

// Before it changes: then the icon is still that of the address.
document.addEventListener('focusin', ({ target }) => {
  const beside = tileBeside(target)
  if (beside?.tile instanceof HTMLImageElement) iconsOfSites.set(originOf(beside.url), beside.tile)
})
document.addEventListener('input', ({ target }) => {
  const beside = tileBeside(target)
  beside?.tile.replaceWith(newTile(beside.url))
})

// What looking at a link has found.
document.addEventListener('iconfound', (event) => {
  const { url, icon } = /** @type {CustomEvent<{ url: string, icon: { path: string, tone: string | null } }>} */ (event)
    .detail
  const image = new Image(32, 32)
  image.src = icon.path
  image.alt = ''
  image.className = `tile favicon ${icon.tone ?? ''}`
  iconsOfSites.set(originOf(url), image)
  for (const field of document.querySelectorAll('#links [name="url"]')) {
    const beside = tileBeside(field)
    if (beside !== null && originOf(beside.url) === originOf(url)) beside.tile.replaceWith(newTile(beside.url))
  }
})
