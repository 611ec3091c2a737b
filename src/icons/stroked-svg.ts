import { ICON_PIXELS } from './site.ts'

/**
 * How far the lengths of a picture go together, in pixels as it is drawn: a renderer computes every curve of an outline, and one
 * of a million pixels takes seconds and hundreds of megabytes. Together, because each may begin where the one before ends.
 */
const MAX_PIXELS = 256 * 1024

/** What makes lengths larger than their numbers: exponents, units, and whatever enlarges a part. */
const ENLARGING = /\de\+?\d|\d(?:in|cm|mm|pc|pt|em|ex)\b|viewBox|scale|matrix|skew/i

/** Whether the outlines of an SVG are so small as those of an icon. */
export function isGentlyStroked(svg: string): boolean {
  // Neither colours and names, which have digits too, nor gradients have outlines.
  const drawn = svg.replace(/#[\w-]+|_\d+|gradientTransform\s*=\s*(?:"[^"]*"|'[^']*')/gi, '')
  const [root = '', ...parts] = drawn.slice(drawn.search(/<[^\s<>/]*svg\b/i)).split('>')
  const content = parts.join('>')
  if (ENLARGING.test(content)) return false
  const enlarged = ICON_PIXELS / Math.min(...sidesOf(root))
  const lengths = content.match(/\d+(?:\.\d+)?/g) ?? []
  return lengths.reduce((sum, length) => sum + Number(length), 0) * enlarged <= MAX_PIXELS
}

/** Width and height of a picture in its own units. */
function sidesOf(root: string): number[] {
  const box = /viewBox\s*=\s*["']([^"']*)/i.exec(root)?.[1]
  if (box !== undefined)
    return box
      .trim()
      .split(/[\s,]+/)
      .slice(2)
      .map(Number)
  const sides = Array.from(root.matchAll(/\s(?:width|height)\s*=\s*["']\s*([\d.+-]+)/gi), ([, side]) => Number(side))
  return sides.length === 2 ? sides : [0]
}
