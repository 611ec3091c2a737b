// @ts-check

// The opening time in the viewer's time zone, how far away it is, and the page itself once it is open.
{
  const says = document.querySelector('[data-opens-in]')
  const time = says?.querySelector('time')
  const away = document.getElementById('away')
  if (says instanceof HTMLElement && time instanceof HTMLTimeElement && away !== null) {
    const at = new Date(time.dateTime)
    // By the server's clock: this one may be wrong.
    const opens = performance.now() + Number(says.dataset.opensIn)
    time.title = time.textContent ?? ''
    time.textContent = at.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short' })
    const relative = new Intl.RelativeTimeFormat('en-GB')
    const update = () => {
      const seconds = Math.ceil((opens - performance.now()) / 1000)
      if (seconds <= 0) {
        location.reload()
        return
      }
      const [unit, length] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600]
      const [shown, size] = seconds < 172_800 ? [unit, length] : ['day', 86_400]
      const words = relative.format(
        Math.round(seconds / Number(size)),
        /** @type {Intl.RelativeTimeFormatUnit} */ (shown),
      )
      away.textContent = `, ${words}`
      setTimeout(update, seconds < 120 ? 1000 : 30_000)
    }
    update()
  }
}
