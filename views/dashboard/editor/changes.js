// @ts-check

// Says beside Save what has changed since the page came.
{
  /** @type {Map<Element, { at: number, text: string }>} */
  let before = new Map()
  /** @type {Map<Element, string>} */
  let about = new Map()
  /** Whether the form came as it is saved. */
  let isKnown = false

  /** @param {Element} row */
  const textOf = (row) =>
    [.../** @type {NodeListOf<HTMLInputElement>} */ (row.querySelectorAll('.fields [name]'))]
      .filter(({ name }) => name !== 'section')
      .map(({ value }) => value)
      .join('\n')
  const aboutFields = () =>
    /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('.about [name]:not([type="hidden"])'))
  /** @param {HTMLInputElement} field */
  const valueIn = (field) => (field.type === 'checkbox' ? String(field.checked) : field.value)

  function remember() {
    const form = document.getElementById('editor')
    isKnown = form !== null && !form.hasAttribute('data-touched')
    before = new Map(linksNow().map((row, at) => [row, { at, text: textOf(row) }]))
    about = new Map([...aboutFields()].map((field) => [field, valueIn(field)]))
  }

  /** @param {Element} row */
  const nameOfRow = (row) =>
    linkField(row, 'note')?.value.split('\n')[0] ||
    linkField(row, 'url')?.value.replace(/^https?:\/\//i, '') ||
    'New link'

  function changes() {
    const now = linksNow()
    const stayed = [...before.keys()].filter((row) => now.includes(row))
    // Only what was moved itself, not what it has passed.
    const order = now.filter((row) => before.has(row))
    const moved = order.filter((row, at) => stayed[at] !== row && order.indexOf(row) !== stayed.indexOf(row))
    const farthest = moved.toSorted(
      (one, other) =>
        Math.abs(order.indexOf(other) - stayed.indexOf(other)) - Math.abs(order.indexOf(one) - stayed.indexOf(one)),
    )[0]
    return [
      ...[...aboutFields()]
        .filter((field) => about.has(field) && about.get(field) !== valueIn(field))
        .map((field) => `${field.labels?.[0]?.firstChild?.textContent?.trim() ?? ''} edited`),
      ...now
        .filter((row) => before.has(row) && before.get(row)?.text !== textOf(row))
        .map((row) => `${nameOfRow(row)} edited`),
      ...now.filter((row) => !before.has(row)).map((row) => `${nameOfRow(row)} added`),
      ...[...before.keys()].filter((row) => !now.includes(row)).map((row) => `${nameOfRow(row)} removed`),
      ...(farthest === undefined ? [] : [`${nameOfRow(farthest)} moved`]),
    ]
  }

  function writeChanges() {
    const place = document.querySelector('.save-bar .changes')
    if (place === null) return
    const all = isKnown ? changes() : []
    place.textContent = all.slice(0, 2).join(', ') + (all.length > 2 ? ` and ${all.length - 2} more` : '')
  }
  remember()
  document.addEventListener('input', writeChanges)
  document.addEventListener('htmx:after:swap', (event) => {
    if (swappedPage(event) !== null) remember()
  })
}
