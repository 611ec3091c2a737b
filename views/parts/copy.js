// @ts-check

/**
 * Puts a text on the clipboard. The clipboard API is there on https and localhost alone; elsewhere the old
 * way still works.
 * @param {string} text
 * @returns {Promise<boolean>} whether it is there
 */
// biome-ignore lint/correctness/noUnusedVariables: the scripts that this one is served together with call it
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    return isCopied
  }
}
