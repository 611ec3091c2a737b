type Child = Node | string | null | false
type Handler = (event: never) => unknown
type Attributes = Record<string, string | number | boolean | Handler | null | undefined>

/** An element with attributes, listeners (`onclick`) and children. Texts are never markup. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value as EventListener)
    else if (value === true) element.setAttribute(key, '')
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value))
  }
  element.append(...children.filter((child) => child !== null && child !== false))
  return element
}

const PATHS = {
  cross: 'M4 4l8 8m0-8l-8 8',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  settings: 'M2.5 4.5h5m4 0h2m-11 7h2m4 0h5M9.5 2.8v3.4M6.5 9.8v3.4',
} as const

/** A decorative icon, in a button that has a label. */
export function icon(name: keyof typeof PATHS): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const path = document.createElementNS(svg.namespaceURI, 'path') as SVGElement
  path.setAttribute('d', PATHS[name])
  for (const [key, value] of Object.entries({ class: 'icon', viewBox: '0 0 16 16', width: '16', height: '16' }))
    svg.setAttribute(key, value)
  svg.setAttribute('aria-hidden', 'true')
  svg.append(path)
  return svg as SVGElement
}
