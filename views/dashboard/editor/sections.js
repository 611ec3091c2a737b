// @ts-check

// Sections of the list of links: their headings, which rename them, and the section that a moved link takes.

/** @param {Element} row @param {string} name */
function putInSection(row, name) {
  const field = linkField(row, 'section')
  if (field !== null) field.value = name
}

/** The heading that a field is. @param {EventTarget | null} target */
const headOf = (target) => (target instanceof HTMLInputElement ? target.closest('.section-head') : null)

/** The heading above a row as a field, or a new one. @param {Element} row */
function headingField(row) {
  const head = row.querySelector('.section-head')
  const known = head?.querySelector('input')
  if (head === null || known instanceof HTMLInputElement) return known ?? null
  const field = document.createElement('input')
  // Without a name, so that it is not sent: each link has its own section.
  field.setAttribute('aria-label', 'Name of this section')
  field.dir = 'auto'
  field.maxLength = 60
  head.replaceChildren(field)
  return field
}

/** Shows or hides the heading above a row, but never the one that is typed in. @param {Element} row @param {string} name */
function showHeading(row, name) {
  const isTypedIn = headOf(document.activeElement)?.closest('.link-row') === row
  row.classList.toggle('begins-section', name !== '' || isTypedIn)
  if (isTypedIn) return
  if (name === '') row.querySelector('.section-head')?.replaceChildren()
  const field = name === '' ? null : headingField(row)
  if (field !== null) field.value = name
}

/** Shows a heading above the first link of each section. */
function updateSections() {
  let above = ''
  for (const row of linksNow()) {
    const name = sectionIn(row)
    showHeading(row, name === above ? '' : name)
    above = name
  }
  for (const row of document.querySelectorAll('#links > .link-row.removed')) showHeading(row, '')
  const names = [...new Set(linksNow().map(sectionIn))].filter((name) => name !== '')
  document.getElementById('sections')?.replaceChildren(
    ...names.map((name) => {
      const option = document.createElement('option')
      option.value = name
      return option
    }),
  )
}
updateSections()
document.addEventListener('htmx:after:swap', updateSections)

// A new section has a new link, and is named at once; like `newSection` in buttons.ts.
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('#editor button[value="section"]') : null
  if (button === null) return
  event.preventDefault()
  if (!(await addLinks(''))) return
  const row = linksNow().at(-1)
  if (row === undefined) return
  const taken = new Set(linksNow().map(sectionIn))
  let name = 'New section'
  for (let n = 2; taken.has(name); n += 1) name = `New section ${n}`
  putInSection(row, name)
  listChanged(`${name} added`)
  updateSections()
  headingField(row)?.select()
})

/**
 * The links of the heading that is typed in. A half-typed name may be that of the next section, whose links it must not
 * take along.
 * @type {Element[]}
 */
let headed = []
document.addEventListener('focusin', ({ target }) => {
  const row = headOf(target)?.closest('.link-row')
  if (row == null) return
  const below = linksNow().slice(linksNow().indexOf(row))
  const end = below.findIndex((other) => sectionIn(other) !== sectionIn(row))
  headed = end === -1 ? below : below.slice(0, end)
})
document.addEventListener('focusout', ({ target }) => {
  // Only then is nothing typed in.
  if (headOf(target) !== null) setTimeout(updateSections)
})

document.addEventListener('input', ({ target }) => {
  if (headOf(target) === null || !(target instanceof HTMLInputElement)) {
    if (target instanceof Element && target.closest('#links') !== null) updateSections()
    return
  }
  // An emptied field is not a section without a name: the links keep theirs until something is typed.
  if (target.value.trim() === '') return
  for (const row of headed) putInSection(row, target.value.trim())
})
