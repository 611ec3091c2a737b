// @ts-check
/// <reference path="copy.js" />

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy ?? '')
    if (!(field instanceof HTMLInputElement)) return
    button.textContent = (await copyText(field.value)) ? 'Copied' : 'Press Ctrl+C'
    if (button.textContent !== 'Copied') field.select()
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
}

// The server reads the list; this only tells how long it is while it is typed.
const urls = document.getElementById('urls')
const counter = document.getElementById('urls-count')
if (urls instanceof HTMLTextAreaElement && counter !== null) {
  const max = Number(urls.dataset.max)
  const tell = () => {
    const lines = urls.value.split('\n').filter((line) => line.trim() !== '').length
    counter.textContent = lines === 0 ? '' : `${lines} of ${max}`
    counter.classList.toggle('over', lines > max)
  }
  urls.addEventListener('input', tell)
  tell()
}

const alertShown = document.getElementById('alert')
const firstWrong = document.querySelector('[aria-invalid]')
if (firstWrong instanceof HTMLElement) firstWrong.focus()
else alertShown?.focus()
