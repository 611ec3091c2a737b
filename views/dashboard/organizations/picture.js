// @ts-check
// Shows a chosen picture before it is saved, as large as the one there is. What the browser cannot draw waits for the answer.

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.id === 'picture') void show(target)
})

/** @param {HTMLInputElement} input */
async function show(input) {
  const look = input.parentElement?.querySelector('.look')
  const [file] = input.files ?? []
  const picture = file === undefined ? null : await createImageBitmap(file).catch(() => null)
  look?.querySelector('canvas')?.remove()
  const saved = look?.firstElementChild
  if (!(saved instanceof HTMLElement) || look === null || look === undefined) return
  saved.hidden = picture !== null
  if (picture === null) return
  const canvas = document.createElement('canvas')
  const scale = 96 / Math.max(picture.width, picture.height)
  const [width, height] = [picture.width * scale, picture.height * scale]
  canvas.width = canvas.height = 96
  canvas.getContext('2d')?.drawImage(picture, (96 - width) / 2, (96 - height) / 2, width, height)
  look.append(canvas)
}
