// @ts-check

// The list is sorted as this browser last had it. Lost where the server is away, which the list itself tells.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.id !== 'sort') return
  fetch('/dashboard/sort', { method: 'POST', body: new URLSearchParams({ sort: target.value }) }).catch(() => {})
})

// How many are chosen is told, and one box chooses them all.
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && (target.id === 'choose-all' || target.form?.id === 'bulk')) choose(target)
})
document.addEventListener('reset', ({ target }) => {
  // The boxes are cleared once this event is over.
  if (target instanceof HTMLFormElement && target.id === 'bulk') setTimeout(choose)
})

/** @param {HTMLInputElement} [pressed] */
function choose(pressed) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#list input[name=slug]')])
  if (pressed?.id === 'choose-all') for (const box of boxes) box.checked = pressed.checked
  const chosen = boxes.filter((box) => box.checked).length
  const all = document.getElementById('choose-all')
  if (all instanceof HTMLInputElement) {
    all.checked = chosen === boxes.length
    all.indeterminate = chosen > 0 && !all.checked
  }
  const says = document.getElementById('chosen')
  if (says !== null) says.textContent = `${chosen} selected`
}
