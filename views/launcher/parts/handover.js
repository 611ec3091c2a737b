// @ts-check

// Hands tabs over to the browser extension, which opens all of them; loaded once it has said that it is there. The messages are
// documented in docs/extension.md.

const VERSION = 1
/** How long an extension that is there takes to say so. */
const ANSWER_MS = 1000

/** What is handed over now. @type {import('./later.js').Opening | null} */
let current = null
/** Its tabs that are known to be open. @type {Set<number>} */
let known = new Set()
let isBegun = false
/** Whether the extension has not answered: it was switched off. */
let isGone = false
/** Waits for its first answer. @type {ReturnType<typeof setTimeout> | undefined} */
let timer

document.addEventListener('opening', (event) => {
  const opening = /** @type {CustomEvent<import('./later.js').Opening>} */ (event).detail
  const { slug, urls, say } = opening
  if (isGone || !slug || urls.length === 0) return
  event.preventDefault()
  if (current !== null) return
  current = opening
  known = new Set()
  isBegun = false
  say(urls.length === 1 ? 'Opening the tab…' : `Opening ${urls.length} tabs…`)
  window.postMessage({ type: 'openall:open', version: VERSION, slug, tabs: urls }, location.origin)
  timer = setTimeout(() => {
    isGone = true
    openHere()
  }, ANSWER_MS)
})

addEventListener('message', ({ source, origin, data }) => {
  if (source !== window || origin !== location.origin || current === null) return
  const { type, version, slug, opened, wereOpen, isDone } = Object(data)
  if (version !== VERSION || slug !== current.slug) return
  if (type === 'openall:taken') clearTimeout(timer)
  else if (type === 'openall:progress') follow(opened, wereOpen, isDone)
  else if (type === 'openall:refused') {
    clearTimeout(timer)
    if (isBegun) end()
    else openHere()
  }
})

/** Shows how far the tabs are. @param {number[]} opened @param {number[]} wereOpen @param {boolean} isDone */
const follow = (opened, wereOpen, isDone) => {
  if (current === null) return
  if (!isBegun) current.begin()
  isBegun = true
  for (const at of [...opened, ...wereOpen]) {
    if (!known.has(at)) current.opened(at, opened.includes(at))
    known.add(at)
  }
  if (!isDone) return
  const { say } = current
  end()
  if (wereOpen.length > 0)
    say(
      `${wereOpen.length === known.size ? 'All' : wereOpen.length} of them ${wereOpen.length === 1 ? 'was' : 'were'} open already.`,
    )
}

const end = () => {
  const ended = current
  current = null
  ended?.end()
}

/** Opens the tabs in the page, while a press still lets it. */
const openHere = () => {
  const opening = current
  if (opening === null) return
  if (navigator.userActivation.isActive) {
    const before = isGone
    isGone = true
    current = null
    opening.openHere()
    isGone = before
  } else {
    current = null
    opening.say('The extension does not answer: press again.')
  }
}

// Nothing more is pressed while it opens them.
addEventListener(
  'click',
  (event) => {
    if (
      current === null ||
      !(event.target instanceof Element) ||
      event.target.closest('#open, #again, #rest, .part') === null
    )
      return
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  true,
)

// Where the page is left, what is still to come is counted now.
addEventListener('pagehide', () => {
  if (current === null || !isBegun) return
  for (const at of current.urls.keys()) if (!known.has(at)) current.opened(at, true)
  end()
})

window.postMessage({ type: 'openall:ready', version: VERSION }, location.origin)
