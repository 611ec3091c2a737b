// @ts-check

// The list is sorted as this browser last had it. Lost where the server is away, which the list itself tells.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.id !== 'sort') return
  fetch('/dashboard/sort', { method: 'POST', body: new URLSearchParams({ sort: target.value }) }).catch(() => {})
})
