// @ts-check
// The format that a webhook gets by its address, said while the address is typed.

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.id !== 'url') return
  const select = target.form?.elements.namedItem('format')
  if (!(select instanceof HTMLSelectElement)) return
  const byAddress = [...select.options].find(({ value }) => value === '')
  if (byAddress === undefined) return
  const url = URL.canParse(target.value) ? new URL(target.value) : null
  const known = [...select.options].find(({ dataset: { host, path = '' } }) => {
    return (
      host !== undefined && url !== null && new RegExp(host).test(url.hostname) && new RegExp(path).test(url.pathname)
    )
  })
  byAddress.textContent = `${byAddress.dataset.name}${known === undefined ? '' : `: ${known.dataset.name}`}`
})
