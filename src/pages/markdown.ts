import { escapeHtml } from '@kitajs/html'
import { Marked, type Tokens } from 'marked'
import { attribute } from '../../views/parts/layout.tsx'

/** A section of a page. */
interface Heading {
  id: string
  text: string
}

/**
 * Our own Markdown as HTML, with the page's sections. Its HTML is trusted: the files are part of the service.
 * @param placeOf where a relative link leads; null for a file that is not served, whose text then stays without a link.
 */
export function render(
  markdown: string,
  placeOf: (href: string) => string | null,
): { html: string; sections: Heading[] } {
  const sections: Heading[] = []
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = anchorOf(text)
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`
        if (depth === 2) sections.push({ id, text: text.replaceAll('`', '') })
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const place = /^(?:\w+:|#)/.test(href) ? href : placeOf(href)
        return place === null ? inner : `<a href="${attribute(escapeHtml(place))}">${inner}</a>`
      },
      code({ text }: Tokens.Code) {
        return `<pre class="code"><code>${escapeHtml(text)}</code></pre>\n`
      },
      // Focusable, because what does not fit scrolls.
      table({ header, rows }: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const head = row(header, 'th scope="col"').replaceAll('</th scope="col">', '</th>')
        const body = rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="wide-table" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  return { html: marked.parse(markdown) as string, sections }
}

/** The anchor of a heading, as on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
