// @ts-check

/** Shows the result of a press below the buttons, and announces it to screen readers. @param {string} text */
export function announce(text) {
  const status = /** @type {HTMLElement} */ (document.getElementById('status'))
  status.textContent = text
  status.className = 'news'
}
