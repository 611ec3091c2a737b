// What of an SVG is drawn. Everything else is left out, so that neither a renderer’s next feature nor an odd spelling of an old
// one brings work without end.

/** An element as it is drawn. */
export interface Part {
  name: string
  /** What references call it. */
  id: string | null
  attributes: Map<string, string>
  /** The names that its attributes refer to, by attribute. */
  references: Map<string, string>
  parts: Part[]
}

/** Elements with an area, or a line, of their own. */
export const SHAPES: ReadonlySet<string> = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'])
const OTHERS = ['g', 'defs', 'use', 'clipPath', 'mask', 'linearGradient', 'radialGradient', 'stop']
const DRAWN: ReadonlySet<string> = new Set([...SHAPES, ...OTHERS])
/** Elements that are groups as far as they are seen. */
const GROUPS: ReadonlySet<string> = new Set(['a', 'switch'])

/** @returns the element that is drawn for one of this name; null if there is none. */
export function allowedElement(name: string): string | null {
  if (GROUPS.has(name)) return 'g'
  return DRAWN.has(name) ? name : null
}

/** Elements and attributes without which a picture would be another one: none is drawn, rather than that. */
const MISSED: ReadonlySet<string> = new Set([
  ...['image', 'pattern', 'filter', 'marker', 'symbol', 'svg'],
  ...['stroke-dasharray', 'marker-start', 'marker-mid', 'marker-end', 'clipPathUnits', 'maskContentUnits'],
])

/** Whether a picture would be another one without an element of this name, or an attribute of this value. */
export function isMissed(name: string, value = ''): boolean {
  return MISSED.has(name) && value.trim() !== 'none' && value.trim() !== 'userSpaceOnUse'
}

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`
/** Each number of a value, with no space between them if a sign or a second point is there. */
export const NUMBERS = new RegExp(NUMBER, 'g')
const NAME = String.raw`#([^\s"'()<>&#]{1,100})`
const LENGTH = new RegExp(String.raw`^(?:${NUMBER}(?:px)?|-?\d{1,3}(?:\.\d*)?%)$`)
const PLAIN = new RegExp(`^${NUMBER}(?:px)?$`)
const SEVERAL = /^[\d\s,.eE+-]*$/
const OUTLINE = /^[\d\s,.eE+\-MmZzLlHhVvCcSsQqTtAa]*$/
const TRANSFORM = /^(?:(?:matrix|translate|scale|rotate|skewX|skewY) ?\([\d\s,.eE+-]*\)[\s,]*)*$/
const WORD = /^[a-zA-Z-]{1,32}$/
const COLOR = /^(?:#[\da-fA-F]{3,8}|[a-zA-Z]{1,32}|(?:rgb|hsl)a?\([\d\s,.%/+-]{1,64}\))$/

/** Attributes, and properties of styles, by what their values may be. */
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

/** Whether a property of this name is drawn, or would be missed. */
export function isProperty(name: string): boolean {
  return ALLOWED.has(name) || REFERRING.has(name) || MISSED.has(name)
}

/** Sets an attribute of a part if it is one that is drawn, whose value then replaces one of before. */
export function setAllowed(part: Part, name: string, given: string): void {
  const value = given.trim()
  const refers = name === 'href' ? HREF : REFERRING.has(name) ? PAINT : null
  const reference = refers?.exec(value)?.[1]
  if (reference === undefined && ALLOWED.get(name)?.test(value) !== true) return
  if (reference === undefined) part.attributes.set(name, value)
  else part.references.set(name, reference)
  // One of both: a reference replaces a colour, and the other way round.
  if (reference === undefined) part.references.delete(name)
  else part.attributes.delete(name)
}
