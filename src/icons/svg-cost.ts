import { NUMBERS, type Part, SHAPES } from './svg-allowed.ts'

// What it takes to draw a picture, found by going through it as a renderer does: each reference leads to what it draws once more.

/** Of all that is drawn; a character of an outline is one. It takes a second at most. */
const MAX_COST = 256 * 1024
/** A shape, however short it is: it may cover the whole picture. */
const SHAPE = 64
/** A stop of a gradient: each pixel that it fills goes through all of them. */
const STOP = 128
/** What is drawn on a layer of its own, which is several times as large as the picture. */
const LAYER = 1024
/** What a line costs more than an area of the same outline. */
const STROKE = 32
/** Elements within one another, references included. */
const MAX_DEPTH = 64
/**
 * How far the lines of a picture go together, in pixels as it is drawn: a renderer computes every curve of a line, and one of a
 * million pixels takes seconds and hundreds of megabytes. Together, because each may begin where the one before ends.
 */
const MAX_PIXELS = 256 * 1024

/** Whether a picture is drawn in bounded time. @param scale pixels of each of its units. */
export function isCheap(root: Part, scale: number): boolean {
  const named = new Map<string, Part>()
  const name = (part: Part) => {
    if (part.id !== null && !named.has(part.id)) named.set(part.id, part)
    for (const inner of part.parts) name(inner)
  }
  name(root)
  return new Weighing(named).isCheap(root, scale)
}

/** What a part has from those around it. */
interface Around {
  depth: number
  /** Pixels of each unit, at most. */
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
    // A group that is half transparent, clipped or masked is drawn on a layer of its own.
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

  /** With those that it takes its stops from. */
  #gradient(gradient: Part, depth: number): void {
    if (depth > MAX_DEPTH) throw new TooCostly()
    this.#add(SHAPE + STOP * gradient.parts.length)
    const other = this.named.get(gradient.references.get('href') ?? '')
    if (other !== undefined && GRADIENTS.has(other.name)) this.#gradient(other, depth + 1)
  }
}

const GRADIENTS: ReadonlySet<string> = new Set(['linearGradient', 'radialGradient'])
const CLIPPING: ReadonlySet<string> = new Set(['clipPath', 'mask'])
/** Drawn only where something refers to them. */
const DEFINITIONS: ReadonlySet<string> = new Set([...GRADIENTS, ...CLIPPING, 'defs', 'stop'])
/** Attributes that make an outline. */
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

/** How many times as long the longest line becomes by a transform. */
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
