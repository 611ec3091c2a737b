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
