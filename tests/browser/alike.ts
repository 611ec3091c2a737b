import { openChromium } from './chromium.ts'
import { becomes } from './launching.ts'
import type { Viewer } from './viewer.ts'

/** The sizes of windows in which pages are compared. */
const SIZES = [
  [1280, 860],
  [390, 844],
] as const

/** The parts whose place and size are compared. Text is not: the same font is a little wider in some browsers. */
const PARTS = 'h1, h2, nav, form, section, li, button, .button, input:not([type=file]), select, textarea, .card, .panel'

/** How far apart boxes may be. Lines are up to a pixel lower in WebKit, which rounds their height down. */
const SLACK = { pixels: 6, share: 0.03 }

/** Pictures are compared by squares of this many pixels: within one, browsers draw letters differently. */
const SQUARE = 10
/** From which difference on the mean colours of two squares count as different, of 255. */
const UNLIKE = 48

/** The editor's preview comes a moment after its page. */
const HIDE_PREVIEW =
  "void frame.contentDocument.querySelector('.preview .screen')?.style.setProperty('visibility', 'hidden')"

interface Box {
  part: string
  x: number
  y: number
  width: number
  height: number
}

/** What a page looks like at one width. */
export interface Look {
  name: string
  boxes: Box[]
  picture: Buffer
}

/** Looks at pages in the frame that the viewer is at (`frames.ts`). @param picture takes one of the frame. */
export async function looksOf(
  viewer: Viewer,
  paths: readonly string[],
  picture: () => Promise<Buffer> = () => viewer.picture('iframe'),
): Promise<Look[]> {
  const looks: Look[] = []
  for (const [width, height] of SIZES) {
    for (const path of paths) {
      await viewer.read(`void show(${JSON.stringify(path)}, ${width}, ${height})`)
      await becomes(() => viewer.read('isShown'), true)
      await viewer.read(HIDE_PREVIEW)
      const boxes = await viewer.read<Box[]>(`[...frame.contentDocument.querySelectorAll(${JSON.stringify(PARTS)})]
        .filter((one) => one.checkVisibility())
        .map((one) => [one, one.getBoundingClientRect()])
        .map(([one, { x, y, width, height }]) => ({ part: [one.localName, ...one.classList].join('.'), x, y, width, height }))
        .filter(({ width }) => width > 0)`)
      looks.push({ name: `${path} at ${width} pixels`, boxes, picture: await picture() })
    }
  }
  return looks
}

/** Where two browsers place something differently, in words. */
export function differences(look: Look, other: Look): string[] {
  if (look.boxes.length !== other.boxes.length) return [`${other.boxes.length} parts instead of ${look.boxes.length}`]
  return look.boxes.flatMap((box, index) => {
    const found = other.boxes[index] as Box
    const apart = (['x', 'y', 'width', 'height'] as const).filter((what) => {
      const [wanted, is] = [box[what], found[what]]
      return Math.abs(wanted - is) > SLACK.pixels + SLACK.share * Math.max(wanted, is)
    })
    return apart.map((what) => `${box.part} ${index}: ${what} ${found[what]} instead of ${box[what]}`)
  })
}

/** How much of two pictures differs, from 0 to 1. Chromium reads them. */
export async function shareUnlike(look: Look, other: Look): Promise<number> {
  const page = await (await openChromium({ popups: 'allowed' })).newPage()
  const pictures = [look, other].map(({ picture }) => `data:image/png;base64,${picture.toString('base64')}`)
  const share = await page.evaluate(
    async ({ pictures, SQUARE, UNLIKE }) => {
      /** A picture with one pixel for each square: its mean colour. */
      const means = async (source: string) => {
        const image = new Image()
        image.src = source
        await image.decode()
        const [width, height] = [Math.floor(image.width / SQUARE), Math.floor(image.height / SQUARE)]
        const canvas = new OffscreenCanvas(image.width, image.height)
        const context = canvas.getContext('2d')!
        context.drawImage(image, 0, 0)
        const { data } = context.getImageData(0, 0, image.width, image.height)
        const sums = new Float64Array(width * height * 3)
        for (let y = 0; y < height * SQUARE; y += 1)
          for (let x = 0; x < width * SQUARE; x += 1)
            for (let color = 0; color < 3; color += 1) {
              const square = Math.floor(y / SQUARE) * width + Math.floor(x / SQUARE)
              sums[square * 3 + color]! += data[(y * image.width + x) * 4 + color]!
            }
        return sums.map((sum) => sum / SQUARE ** 2)
      }
      const [one, two] = (await Promise.all(pictures.map(means))) as [Float64Array, Float64Array]
      if (one.length !== two.length) return 1
      const squares = one.length / 3
      const isUnlike = (_: unknown, square: number) =>
        [0, 1, 2].some((color) => Math.abs(one[square * 3 + color]! - two[square * 3 + color]!) > UNLIKE)
      return Array.from({ length: squares }).filter(isUnlike).length / squares
    },
    { pictures, SQUARE, UNLIKE },
  )
  await page.close()
  return share
}
