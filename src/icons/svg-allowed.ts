// The parts of an SVG that are drawn. Everything else is dropped, so that neither a renderer’s next feature nor an odd spelling
// of an old one brings endless work.

/** An element to draw. */
export interface Part {
  name: string
  /** Its name in references. */
  id: string | null
  attributes: Map<string, string>
  /** The ids to which its attributes refer, by attribute. */
  references: Map<string, string>
  parts: Part[]
}

/** Elements with their own area or line. */
export const SHAPES: ReadonlySet<string> = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'])
const OTHERS = ['g', 'defs', 'use', 'clipPath', 'mask', 'linearGradient', 'radialGradient', 'stop']
const DRAWN: ReadonlySet<string> = new Set([...SHAPES, ...OTHERS])
/** Elements that are drawn like groups. */
const GROUPS: ReadonlySet<string> = new Set(['a', 'switch'])

/** The name of the element drawn for one with this name; null if it is not drawn. */
export function allowedElement(name: string): string | null {
  if (GROUPS.has(name)) return 'g'
  return DRAWN.has(name) ? name : null
}

/** Elements and attributes without which a picture would look different: it is then not drawn at all. */
const MISSED: ReadonlySet<string> = new Set([
  ...['image', 'pattern', 'filter', 'marker', 'symbol', 'svg'],
  ...['stroke-dasharray', 'marker-start', 'marker-mid', 'marker-end', 'clipPathUnits', 'maskContentUnits'],
])

/** Whether a picture would look different without an element of this name, or an attribute of this name and value. */
export function isMissed(name: string, value = ''): boolean {
  return MISSED.has(name) && value.trim() !== 'none' && value.trim() !== 'userSpaceOnUse'
}

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`
/** Each number in a value; a sign or a second point separates numbers as well as a space does. */
export const NUMBERS = new RegExp(NUMBER, 'g')
const NAME = String.raw`#([^\s"'()<>&#]{1,100})`
const LENGTH = new RegExp(String.raw`^(?:${NUMBER}(?:px)?|-?\d{1,3}(?:\.\d*)?%)$`)
const PLAIN = new RegExp(`^${NUMBER}(?:px)?$`)
const SEVERAL = /^[\d\s,.eE+-]*$/
const OUTLINE = /^[\d\s,.eE+\-MmZzLlHhVvCcSsQqTtAa]*$/
const TRANSFORM = /^(?:(?:matrix|translate|scale|rotate|skewX|skewY) ?\([\d\s,.eE+-]*\)[\s,]*)*$/
const WORD = /^[a-zA-Z-]{1,32}$/
const COLOR = /^(?:#[\da-fA-F]{3,8}|[a-zA-Z]{1,32}|(?:rgb|hsl)a?\([\d\s,.%/+-]{1,64}\))$/

/** Attributes and style properties with their allowed values. */
const VALUES: readonly (readonly [RegExp, readonly string[]])[] = [
  [LENGTH, ['x', 'y', 'width', 'height', 'cx', 'cy', 'r', 'rx', 'ry', 'x1', 'y1', 'x2', 'y2', 'fx', 'fy', 'offset']],
  [LENGTH, ['opacity', 'fill-opacity', 'stroke-opacity', 'stop-opacity']],
  [PLAIN, ['stroke-width', 'stroke-miterlimit']],
  [OUTLINE, ['d']],
  [SEVERAL, ['points']],
  [TRANSFORM, ['transform', 'gradientTransform']],
  [WORD, ['fill-rule', 'clip-rule', 'stroke-linecap', 'stroke-linejoin', 'display', 'visibility', 'mask-type']],
  [WORD, ['gradientUnits', 'spreadMethod', 'maskUnits']],
  [COLOR, ['fill', 'stroke', 'color', 'stop-color']],
]
const ALLOWED = new Map(VALUES.flatMap(([values, names]) => names.map((name): [string, RegExp] => [name, values])))

const HREF = new RegExp(`^${NAME}$`)
const PAINT = new RegExp(String.raw`^url\( ?["']?${NAME}["']? ?\)`)
const REFERRING: ReadonlySet<string> = new Set(['fill', 'stroke', 'clip-path', 'mask'])

/** Whether a style property matters: it is drawn, or the picture would look different without it. */
export function isProperty(name: string): boolean {
  return ALLOWED.has(name) || REFERRING.has(name) || MISSED.has(name)
}

/** Sets an attribute of a part if it is allowed; replaces an earlier value. */
export function setAllowed(part: Part, name: string, given: string): void {
  const value = given.trim()
  const refers = name === 'href' ? HREF : REFERRING.has(name) ? PAINT : null
  const reference = refers?.exec(value)?.[1]
  if (reference === undefined && ALLOWED.get(name)?.test(value) !== true) return
  if (reference === undefined) part.attributes.set(name, value)
  else part.references.set(name, reference)
  // A reference replaces a colour, and vice versa.
  if (reference === undefined) part.references.delete(name)
  else part.attributes.delete(name)
}
