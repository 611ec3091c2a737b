// @ts-check
import { tileOf } from '../../parts/tile-of.js'

// The tile of a link follows its address while that is typed.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.name !== 'url') return
  const tile = target.closest('#links > .link-row')?.querySelector('.line .tile')
  if (!tile) return
  const { letter, hue } = tileOf(target.value.trim())
  tile.textContent = letter
  tile.className = `tile ${hue}`
})
