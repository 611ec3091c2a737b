// @ts-check
import '../../parts/site.js'

// The zone of this browser, unless another one was typed.
const zone = /** @type {HTMLInputElement} */ (document.getElementById('zone'))
if (zone.value === '') zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone
