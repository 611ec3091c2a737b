// @ts-check

// The QR code as a PNG, drawn from its SVG by the browser.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-png]') : null
  if (!(button instanceof HTMLElement)) return
  const picture = new Image(1024, 1024)
  picture.src = button.dataset.png ?? ''
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1024
  const pen = canvas.getContext('2d')
  if (pen === null) return
  pen.fillStyle = '#fff'
  pen.fillRect(0, 0, 1024, 1024)
  pen.drawImage(picture, 0, 0, 1024, 1024)
  const link = document.createElement('a')
  link.href = canvas.toDataURL('image/png')
  link.download = `${picture.src.split('/').at(-2)}.png`
  link.click()
})
