// @ts-check

// A save: by its keys, without losing one's place, and where it fails, without losing anything else.

const saveButton = () => document.querySelector('.save-bar .primary, #policy .bar button[value="save"]')

document.addEventListener('keydown', (event) => {
  const button = saveButton()
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
  if (!(button instanceof HTMLElement)) return
  event.preventDefault()
  button.click()
})

// What the page says once is not said again when it is loaded anew.
function forgetMessage() {
  const url = new URL(location.href)
  if (!url.searchParams.has('notice')) return
  for (const name of ['notice', 'slug', 'version']) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
}
forgetMessage()

// Links that were taken out can still be put back after a save that was refused, which the answer knows nothing of.
/** @type {{ row: Element, at: number }[]} */
let removedLinks = []
let scrolled = 0
document.addEventListener(
  'submit',
  ({ target }) => {
    scrolled = window.scrollY
    if (!(target instanceof Element) || target.id !== 'editor') return
    removedLinks = [...target.querySelectorAll('#links > .link-row')]
      .map((row, at) => ({ row, at }))
      .filter(({ row }) => row.classList.contains('removed'))
  },
  { capture: true },
)

/** @param {Element} page */
function putBackRemoved(page) {
  const list = page.querySelector('#editor[data-touched] #links')
  for (const { row, at } of list === null ? [] : removedLinks) {
    for (const field of row.querySelectorAll('[id]')) field.id = `${field.id}-removed-${at}`
    list?.insertBefore(row, list.children[at] ?? null)
  }
  removedLinks = []
}

// A form that comes back, saved or refused, stays where it was read; what it says is then told above its button.
let pathBefore = location.pathname
document.addEventListener('htmx:after:swap', (event) => {
  const page = document.getElementById('page')
  const { target } = /** @type {CustomEvent} */ (event).detail?.ctx ?? {}
  if (page === null || target !== page) return
  putBackRemoved(page)
  const stays = location.pathname === pathBefore && page.querySelector('#editor, #policy') !== null
  page.toggleAttribute('data-stays', stays)
  if (stays) page.querySelector('.flash')?.classList.add('toast')
  pathBefore = location.pathname
  const isWrong = page.querySelector('[aria-invalid], #alert') !== null
  if (stays && !isWrong) window.scrollTo(0, scrolled)
  // The address is changed once the new page is in, and htmx has shown its top.
  setTimeout(() => {
    forgetMessage()
    if (stays && !isWrong) window.scrollTo(0, scrolled)
  })
})

// It goes once the work goes on.
document.addEventListener('input', () => document.querySelector('.flash.toast')?.remove())
