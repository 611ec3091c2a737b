// @ts-check

/**
 * Copies a text to the clipboard. The Clipboard API needs https or localhost, and older browsers lack `ClipboardItem`; the old
 * copy command works there.
 * @param {string} text
 * @param {string} [html] the same text as HTML, for programs that accept links.
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyText(text, html) {
  const forms = Object.entries({ 'text/plain': text, ...(html === undefined ? {} : { 'text/html': html }) })
  try {
    if (html === undefined) await navigator.clipboard.writeText(text)
    else {
      const blobs = forms.map(([type, form]) => [type, new Blob([form], { type })])
      await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
    }
    return true
  } catch {
    const focused = document.activeElement
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    area.addEventListener('copy', (event) => {
      for (const [type, form] of forms) event.clipboardData?.setData(type, form)
      event.preventDefault()
    })
    const isCopied = document.execCommand('copy')
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
    return isCopied
  }
}

/**
 * Copies links as an HTML list for documents, mails and chats, and as lines of text for everything else.
 * @param {{ title: string, url: string }[]} links a title may be empty.
 * @returns {Promise<boolean>} whether they were copied
 */
export function copyLinks(links) {
  const list = document.createElement('ul')
  for (const { title, url } of links) {
    const link = document.createElement('a')
    link.href = url
    link.textContent = title || url
    const item = document.createElement('li')
    item.append(link)
    list.append(item)
  }
  return copyText(links.map(({ title, url }) => (title ? `${title}: ${url}` : url)).join('\n'), list.outerHTML)
}
