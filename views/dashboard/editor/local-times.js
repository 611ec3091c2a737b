// @ts-check

// People type times in their own time zone; the form sends instants.
{
  /** @returns {NodeListOf<HTMLInputElement>} */
  const timeFields = () => document.querySelectorAll('#editor input[data-instant]')

  /** The local time of an instant, as its field holds it. @param {string} instant */
  const localTime = (instant) => {
    const at = new Date(instant)
    const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString()
    return local.slice(0, local.endsWith(':00.000Z') ? 16 : -1)
  }

  const showLocalTimes = () => {
    for (const field of timeFields()) {
      const { instant, shown } = field.dataset
      if (shown !== undefined || instant === undefined) continue
      field.value = instant === '' ? '' : localTime(instant)
      // As the browser writes it: without trailing zeros.
      field.dataset.shown = field.value
    }
    const zone = document.querySelector('#editor .zone')
    if (zone !== null) zone.textContent = `your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`
  }
  showLocalTimes()
  document.addEventListener('htmx:after:swap', showLocalTimes)

  document.addEventListener('formdata', (event) => {
    for (const { form, name, value, dataset } of timeFields()) {
      if (form !== event.target || value === '') continue
      // An hour that a change of clocks repeats has two instants: an unchanged field keeps its own.
      const instant = value === dataset.shown ? dataset.instant : new Date(value).toISOString()
      event.formData.set(name, instant ?? '')
    }
  })
}
