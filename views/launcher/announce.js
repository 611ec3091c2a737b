// @ts-check

/** Says below the buttons, and to screen readers, what came of a press. @param {string} text */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function announce(text) {
  const status = /** @type {HTMLElement} */ (document.getElementById('status'))
  status.textContent = text
  status.className = 'news'
}
