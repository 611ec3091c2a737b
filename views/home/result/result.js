// @ts-check
import '../../parts/link-name.js'

// Updates the link of a bundle with variables as its fields are filled in.

/**
 * Values that need no escaping go into the path: `/l/incident/checkout`. Others are parameters, and so are those that name one of
 * the service's own pages below a launcher.
 */
const PLAIN = /^[\w-]+$/

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll('form.fill'))) {
  const fields = [...form.querySelectorAll('input')]
  const shown = /** @type {HTMLElement} */ (form.querySelector('.end'))
  const copy = /** @type {HTMLButtonElement} */ (form.querySelector('.copy'))
  const blank = shown.textContent
  const own = form.dataset.own?.split(' ') ?? []
  const show = () => {
    const values = fields.map(({ name, value }) => [name, value.trim()]).filter(([, value]) => value !== '')
    const [first] = values
    const value = first?.[1] ?? ''
    const isPath = values.length === 1 && first?.[0] === fields[0]?.name && PLAIN.test(value) && !own.includes(value)
    const end = isPath ? `/${value}` : values.length === 0 ? '' : `?${new URLSearchParams(values)}`
    shown.textContent = end || blank
    shown.classList.toggle('blank', end === '')
    copy.dataset.text = form.action + end
  }
  form.addEventListener('input', show)
  show()
}
