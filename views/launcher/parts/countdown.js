// @ts-check

// Shows the opening time in the viewer's time zone and the time left, and loads the page once it is open.
const says = document.querySelector('[data-opens-in]')
const time = says?.querySelector('time')
const away = document.getElementById('away')
if (says instanceof HTMLElement && time instanceof HTMLTimeElement && away !== null) {
  const at = new Date(time.dateTime)
  // By the server's clock, because the local one may be wrong.
  const opens = performance.now() + Number(says.dataset.opensIn)
  time.title = time.textContent ?? ''
  time.textContent = at.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat('en-GB')
  /** The server's units and seconds. @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const UNITS = [
    ['year', 31_556_952],
    ['month', 2_629_746],
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ]
  const update = () => {
    const seconds = Math.ceil((opens - performance.now()) / 1000)
    if (seconds <= 0) {
      location.reload()
      return
    }
    const [unit, length] = UNITS.find(([, long]) => seconds >= 2 * long) ?? ['second', 1]
    const words = relative.format(Math.round(seconds / length), unit)
    away.textContent = `, ${words}.`
    setTimeout(update, seconds < 120 ? 1000 : 30_000)
  }
  update()
}
