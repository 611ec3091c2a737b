import { NUMBERS, type Part, SHAPES } from './svg-allowed.ts'

// The cost of drawing a picture, found by walking through it as a renderer does: each reference draws its target once more.

/** The most cost of a picture, in characters of outlines: drawing takes a second at most. */
const MAX_COST = 256 * 1024
/** The cost of a shape, however short: it may cover the whole picture. */
const SHAPE = 64
/** The cost of a stop in a gradient: each filled pixel goes through all of them. */
const STOP = 128
/** The cost of a part with its own layer, which is several times as large as the picture. */
const LAYER = 1024
/** The cost of a line, as a multiple of that of an area with the same outline. */
const STROKE = 32
/** The deepest nesting of elements, references included. */
const MAX_DEPTH = 64
/**
 * The most total length of all lines in a picture, in drawn pixels: a renderer computes every curve of a line, and one of a
 * million pixels takes seconds and hundreds of megabytes. In total, because each line may begin where the previous one ends.
 */
const MAX_PIXELS = 256 * 1024

/** Whether a picture can be drawn in bounded time. @param scale pixels per unit. */
export function isCheap(root: Part, scale: number): boolean {
  const named = new Map<string, Part>()
  const name = (part: Part) => {
    if (part.id !== null && !named.has(part.id)) named.set(part.id, part)
    for (const inner of part.parts) name(inner)
  }
  name(root)
  return new Weighing(named).isCheap(root, scale)
}

/** Properties inherited from the surrounding parts. */
interface Around {
  depth: number
  /** The most pixels per unit. */
  scale: number
  isStroked: boolean
  strokeWidth: number
}

class TooCostly extends Error {}

class Weighing {
  #cost = 0
  #pixels = 0

  constructor(readonly named: ReadonlyMap<string, Part>) {}

  isCheap(root: Part, scale: number): boolean {
    try {
      this.#draw(root, { depth: 0, scale, isStroked: false, strokeWidth: 1 })
      return true
    } catch (error) {
      if (error instanceof TooCostly) return false
      throw error
    }
  }

  #add(cost: number): void {
    this.#cost += cost
    if (!(this.#cost <= MAX_COST)) throw new TooCostly()
  }

  #draw(part: Part, around: Around): void {
    const { name, attributes, references, parts } = part
    if (around.depth > MAX_DEPTH) throw new TooCostly()
    const stroke = references.has('stroke') ? 'paint' : attributes.get('stroke')
    const within = {
      depth: around.depth + 1,
      scale: around.scale * enlargementOf(attributes.get('transform') ?? ''),
      isStroked: stroke === undefined ? around.isStroked : stroke !== 'none',
      strokeWidth: Number.parseFloat(attributes.get('stroke-width') ?? String(around.strokeWidth)),
    }
    for (const [attribute, to] of references) this.#follow(attribute, this.named.get(to), within)
    // A part with opacity, a clip path or a mask is drawn on its own layer.
    const isLayer = attributes.has('opacity') || references.has('clip-path') || references.has('mask')
    this.#add((isLayer ? LAYER : 0) + SHAPE)
    if (SHAPES.has(name)) this.#outline(part, within)
    else if (!DEFINITIONS.has(name)) for (const inner of parts) this.#draw(inner, within)
  }

  #outline({ attributes }: Part, { isStroked, scale, strokeWidth }: Around): void {
    const outline = [...attributes].flatMap(([name, value]) => (OUTLINES.has(name) ? [value] : [])).join(' ')
    this.#add(outline.length * (isStroked ? STROKE : 1))
    if (!isStroked) return
    let lengths = strokeWidth
    for (const [number] of outline.matchAll(NUMBERS)) lengths += Math.abs(Number(number))
    this.#pixels += lengths * scale
    if (!(this.#pixels <= MAX_PIXELS)) throw new TooCostly()
  }

  #follow(attribute: string, to: Part | undefined, within: Around): void {
    if (to === undefined) return
    if (GRADIENTS.has(to.name)) this.#gradient(to, within.depth)
    else if (attribute === 'href' || CLIPPING.has(to.name)) this.#contents(to, within)
  }

  #contents(to: Part, within: Around): void {
    if (!CLIPPING.has(to.name)) {
      this.#draw(to, within)
      return
    }
    this.#add(LAYER)
    this.#draw({ ...to, name: 'g' }, { ...within, isStroked: false, strokeWidth: 1 })
  }

  /** Adds the cost of a gradient, and of those from which it takes stops. */
  #gradient(gradient: Part, depth: number): void {
    if (depth > MAX_DEPTH) throw new TooCostly()
    this.#add(SHAPE + STOP * gradient.parts.length)
    const other = this.named.get(gradient.references.get('href') ?? '')
    if (other !== undefined && GRADIENTS.has(other.name)) this.#gradient(other, depth + 1)
  }
}

const GRADIENTS: ReadonlySet<string> = new Set(['linearGradient', 'radialGradient'])
const CLIPPING: ReadonlySet<string> = new Set(['clipPath', 'mask'])
/** Elements drawn only where something refers to them. */
const DEFINITIONS: ReadonlySet<string> = new Set([...GRADIENTS, ...CLIPPING, 'defs', 'stop'])
/** Attributes that define an outline. */
const OUTLINES: ReadonlySet<string> = new Set([
  'd',
  'points',
  'x',
  'y',
  'width',
  'height',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'x1',
  'y1',
  'x2',
  'y2',
])

/** The most by which a transform lengthens a line, as a factor. */
function enlargementOf(transform: string): number {
  let enlargement = 1
  for (const [, name = '', given = ''] of transform.matchAll(/([a-zA-Z]{1,9}) ?\(([^)]*)\)/g)) {
    const [a = 0, b = 0, c = 0, d = 0] = Array.from(given.matchAll(NUMBERS), ([number]) => Number(number))
    if (name === 'scale') enlargement *= Math.max(Math.abs(a), Math.abs(b))
    else if (name === 'matrix') enlargement *= Math.hypot(a, b, c, d)
    else if (name.startsWith('skew')) enlargement *= 1 + Math.abs(Math.tan((a * Math.PI) / 180))
  }
  return enlargement
}
