// @ts-check

// Safari shows the present time in an empty field, as if somebody had typed it; the styles hide it until it is edited. Where
// something is said instead of a time, no browser shows a pattern to fill in.
{
  const isSafari = navigator.vendor.startsWith('Apple')
  const markEmpty = () => {
    for (const field of document.querySelectorAll(`${isSafari ? '' : '[data-without] '}input[type=datetime-local]`)) {
      if (field instanceof HTMLInputElement) field.toggleAttribute('data-empty', field.value === '')
    }
  }
  markEmpty()
  for (const event of ['input', 'change', 'htmx:after:swap']) document.addEventListener(event, markEmpty)
}
