// @ts-check

// Copies the field that `data-copy` names, or the text that `data-text` holds.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy], button[data-text]') : null
  if (!(button instanceof HTMLButtonElement)) return
  const field = document.getElementById(button.dataset.copy ?? '')
  const text = field instanceof HTMLInputElement ? field.value : (button.dataset.text ?? '')
  const isCopied = await copyText(text)
  const label = button.querySelector('.label') ?? button
  const before = button.dataset.before ?? label.textContent ?? ''
  button.dataset.before = before
  label.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
  if (!isCopied && field instanceof HTMLInputElement) field.select()
  setTimeout(() => (label.textContent = before), 2000)
})

// The server reads the list; this only tells how long it is while it is typed.
function tellLength() {
  const urls = document.getElementById('urls')
  const counter = document.getElementById('urls-count')
  if (!(urls instanceof HTMLTextAreaElement) || counter === null) return
  const max = Number(urls.dataset.max)
  const lines = urls.value.split('\n').filter((line) => line.trim() !== '').length
  counter.textContent = lines === 0 ? '' : `${lines} of ${max}`
  counter.classList.toggle('over', lines > max)
}
document.addEventListener('input', tellLength)

/** After a page has come: to what is wrong with it, if anything is. Tells whether anything was. */
function showWrong() {
  tellLength()
  const wrong = document.querySelector('[aria-invalid]') ?? document.getElementById('alert')
  if (wrong instanceof HTMLElement) wrong.focus()
  return wrong !== null
}
showWrong()
