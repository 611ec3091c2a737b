// @ts-check

// Safari shows the present time in an empty field, as if somebody had typed it; the styles hide it until it is edited.
if (navigator.vendor.startsWith('Apple')) {
  const markEmpty = () => {
    for (const field of document.querySelectorAll('input[type=datetime-local]')) {
      if (field instanceof HTMLInputElement) field.toggleAttribute('data-empty', field.value === '')
    }
  }
  markEmpty()
  for (const event of ['input', 'htmx:after:swap']) document.addEventListener(event, markEmpty)
}
