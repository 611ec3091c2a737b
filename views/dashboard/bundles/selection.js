// @ts-check

// Remembers the sort order for this browser. If that fails, the list itself reports that the server is unreachable.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.id !== 'sort') return
  const remember = target.form?.querySelector('button[formaction]')
  if (!(remember instanceof HTMLButtonElement)) return
  fetch(remember.formAction, { method: 'POST', body: new URLSearchParams({ sort: target.value }) }).catch(() => {})
})

// Counts the selected bundles; one checkbox selects all of them.
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && (target.id === 'choose-all' || target.form?.id === 'bulk')) choose(target)
})
document.addEventListener('reset', ({ target }) => {
  // The checkboxes are cleared only after this event.
  if (target instanceof HTMLFormElement && target.id === 'bulk') setTimeout(choose)
})

/** @param {HTMLInputElement} [pressed] */
function choose(pressed) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#list input[name=slug]')])
  if (pressed?.id === 'choose-all') for (const box of boxes) box.checked = pressed.checked
  const checked = boxes.filter((box) => box.checked)
  const chosen = checked.length
  const all = document.getElementById('choose-all')
  if (all instanceof HTMLInputElement) {
    all.checked = chosen === boxes.length
    all.indeterminate = chosen > 0 && !all.checked
  }
  const status = document.getElementById('chosen')
  if (status !== null) status.textContent = `${chosen} selected`
  const copy = document.getElementById('copy-chosen')
  const linkOf = (/** @type {Element} */ box) => {
    const row = box.closest('.row')
    const url = row?.querySelector('button[data-text]')?.getAttribute('data-text')
    return { title: row?.querySelector('.name')?.textContent?.trim(), url }
  }
  if (copy !== null) copy.dataset.links = JSON.stringify(checked.map(linkOf))
}
