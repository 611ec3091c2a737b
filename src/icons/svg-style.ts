import { isMissed, isProperty, type Part, setAllowed } from './svg-allowed.ts'

/** Declarations of a style sheet by their selector, which is a name of an element, `.class` or `#id`. */
export type Styles = Map<string, Declarations>
/** Values by property, of several the last: an element costs no more than there are properties. */
type Declarations = Map<string, string>

/** Classes of one element, at most. */
const MAX_CLASSES = 16
const SELECTOR = /^[.#]?[\w-]{1,100}$/

/** Adds the rules of a style sheet as drawing programs write them. What is for some media, or selects by more, is left out. */
export function readStyles(text: string, styles: Styles): void {
  const css = withoutComments(text)
  for (let at = 0; at < css.length; ) {
    const open = css.indexOf('{', at)
    if (open === -1) return
    const selectors = css.slice(at, open)
    const end = endOfBlock(css, open)
    at = end + 1
    if (selectors.includes('@')) continue
    const declarations = declarationsIn(css.slice(open + 1, end))
    for (const selector of selectors.split(',')) {
      const name = selector.trim()
      if (!SELECTOR.test(name)) continue
      const known = styles.get(name)
      if (known === undefined) styles.set(name, new Map(declarations))
      else for (const [property, value] of declarations) known.set(property, value)
    }
  }
}

/** Where a block ends, those within it passed over. */
function endOfBlock(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === '{') depth += 1
    if (css[at] === '}' && (depth -= 1) === 0) return at
  }
  return css.length
}

function withoutComments(css: string): string {
  return css
    .split('*/')
    .map((part) => {
      const begin = part.indexOf('/*')
      return begin === -1 ? part : part.slice(0, begin)
    })
    .join(' ')
}

/** As far as any of it is drawn, or would be missed. */
function declarationsIn(text: string): Declarations {
  const declarations: Declarations = new Map()
  for (const declaration of text.split(';')) {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(colon, 0)).trim()
    if (!isProperty(property)) continue
    declarations.set(
      property,
      declaration
        .slice(colon + 1)
        .replace('!important', '')
        .trim(),
    )
  }
  return declarations
}

/**
 * Gives an element what style sheets say of it, and its own style, in the order in which one prevails.
 * @returns whether all of it can be drawn.
 */
export function applyStyles(part: Part, own: { class?: string; style?: string; id?: string }, styles: Styles): boolean {
  const classes = new Set(own.class?.split(/\s/, MAX_CLASSES))
  const selectors = [part.name, ...Array.from(classes, (name) => `.${name}`), `#${own.id ?? ''}`]
  for (const declarations of [...selectors.map((selector) => styles.get(selector)), declarationsIn(own.style ?? '')]) {
    for (const [name, value] of declarations ?? []) {
      if (isMissed(name, value)) return false
      setAllowed(part, name, value)
    }
  }
  return true
}
