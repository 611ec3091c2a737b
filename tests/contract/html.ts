/** An element as a browser sees it: names in lower case, entities in attributes decoded. */
export interface ElementRead {
  tag: string
  attributes: Record<string, string>
}

/** Every element of a page, in order. */
export function elementsOf(html: string): ElementRead[] {
  const elements: ElementRead[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element({ tagName, attributes }) {
      const read = [...attributes].map(([name = '', value = '']) => [name.toLowerCase(), unescaped(value)])
      elements.push({ tag: tagName.toLowerCase(), attributes: Object.fromEntries(read) })
    },
  })
  rewriter.transform(html)
  return elements
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', copy: '©' }

/** Decodes the entities that occur in tests. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return ENTITIES[name] ?? whole
  })
}

/** Matches a text as pages have it: `&` and `<` are escaped everywhere, `>` not by every runtime. */
export function escapedText(text: string): RegExp {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return new RegExp(
    escaped
      .split('>')
      .map((part) => RegExp.escape(part))
      .join('(?:&gt;|>)'),
  )
}
