// @ts-check

/**
 * Copies a text to the clipboard. The clipboard API needs https or localhost; elsewhere the old command still works.
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const focused = document.activeElement
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
    return isCopied
  }
}
