// @ts-check

/**
 * Loads a script that few viewers need.
 * @param {string} src
 * @param {() => void} [settled] called once it has run, or could not be loaded.
 */
export function loadLater(src, settled = () => {}) {
  const script = document.createElement('script')
  script.async = true
  script.src = src
  script.onload = script.onerror = settled
  document.head.append(script)
}

/**
 * What an extension may open in place of the page (handover.js). With the event `opening`, before the page opens tabs itself.
 * @typedef {object} Opening
 * @property {string | undefined} slug
 * @property {string[]} urls
 * @property {() => void} begin called once the extension opens them.
 * @property {(at: number, isNew: boolean) => void} opened called for each tab that is open, and whether it was not before.
 * @property {(text: string) => void} say
 * @property {() => void} end
 * @property {() => void} openHere opens them in the page after all.
 */

/** Whether an extension opens tabs in place of the page. @param {Opening} detail */
export function isTaken(detail) {
  return !document.dispatchEvent(new CustomEvent('opening', { cancelable: true, detail }))
}

/** Gets ready for the extension, if it says that it is there. */
export function awaitExtension() {
  const load = () => loadLater('static:handover.js')
  if (document.documentElement.dataset.openall) load()
  else document.addEventListener('openall', load, { once: true })
}
