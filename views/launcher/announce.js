// @ts-check

/** Says what came of a press below the buttons, where screen readers hear it. @param {string} text */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function announce(text) {
  const status = /** @type {HTMLElement} */ (document.getElementById('status'))
  status.textContent = text
  status.className = 'news'
}
