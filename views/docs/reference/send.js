// @ts-check

// Sends calls from the reference's forms to the server of this page.

const keyField = document.getElementById('key')

document.addEventListener('submit', async (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset.try === undefined) return
  event.preventDefault()
  const outcome = form.querySelector('.outcome')
  const button = form.querySelector('button[type=submit]')
  if (outcome === null || !(button instanceof HTMLButtonElement)) return
  button.disabled = true
  outcome.replaceChildren(element('p', 'hint', 'Sending…'))
  try {
    outcome.replaceChildren(...(await answer(form)))
  } catch {
    outcome.replaceChildren(element('p', 'error', 'The server did not answer. Is it still running?'))
  }
  button.disabled = false
})

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<Node[]>} the response
 */
async function answer(form) {
  let path = form.dataset.path ?? ''
  const query = new URLSearchParams()
  /** @type {string | undefined} */
  let body
  for (const field of form.querySelectorAll('[data-in]')) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue
    const where = field.dataset.in
    if (where === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(field.value))
    else if (where === 'body') body = field.value
    else if (where === 'fields') for (const [name, value] of new URLSearchParams(field.value)) query.set(name, value)
    else if (field.value !== '') query.set(field.name, field.value)
  }
  /** @type {Record<string, string>} */
  const headers = {}
  if (body !== undefined) headers['content-type'] = form.dataset.type ?? 'application/json'
  const key = keyField instanceof HTMLInputElement ? keyField.value.trim() : ''
  if (key !== '') headers.authorization = `Bearer ${key}`
  const search = String(query) === '' ? '' : `?${query}`
  const response = await fetch(path + search, {
    method: form.dataset.method ?? 'GET',
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const status = element(
    'p',
    response.ok ? 'status good' : 'status bad',
    `${response.status} ${response.statusText}`.trim(),
  )
  if (text === '') return [status]
  return [status, element('pre', 'code', pretty(text))]
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/**
 * @param {string} tag
 * @param {string} kind
 * @param {string} text
 */
function element(tag, kind, text) {
  const element = document.createElement(tag)
  element.className = kind
  element.textContent = text
  return element
}
