// @ts-check
import '../../parts/site.js'

// Updates the link of a bundle with variables as its fields are filled in.

/** Values that need no escaping go into the path: `/l/incident/checkout`. Others are parameters. */
const PLAIN = /^[\w-]+$/

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll('form.fill'))) {
  const fields = [...form.querySelectorAll('input')]
  const shown = /** @type {HTMLElement} */ (form.querySelector('.end'))
  const copy = /** @type {HTMLButtonElement} */ (form.querySelector('.copy'))
  const blank = shown.textContent
  const show = () => {
    const values = fields.map(({ name, value }) => [name, value.trim()]).filter(([, value]) => value !== '')
    const [first] = values
    const isPath = values.length === 1 && first?.[0] === fields[0]?.name && PLAIN.test(first?.[1] ?? '')
    const end = isPath ? `/${first?.[1]}` : values.length === 0 ? '' : `?${new URLSearchParams(values)}`
    shown.textContent = end || blank
    shown.classList.toggle('blank', end === '')
    copy.dataset.text = form.action + end
  }
  form.addEventListener('input', show)
  show()
}
