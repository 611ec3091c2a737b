/** Whether the browser is Firefox: its extensions have addresses of their own scheme. */
export function isFirefox(): boolean {
  return chrome.runtime.getURL('').startsWith('moz-extension:')
}
