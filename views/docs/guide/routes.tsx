/** @jsxImportSource @kitajs/html */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { escapeHtml } from '@kitajs/html'
import { Marked, type Tokens } from 'marked'
import { anchorOf, GUIDES, type GuideName, guideText, guideTitle } from '../../../src/api/guides.ts'
import { lazy } from '../../../src/core/lazy.ts'
import { unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { headersWith, page, pageApp, text } from '../../../src/http/respond.ts'
import { attribute, type Site } from '../../parts/layout.tsx'
import { DocsFrame } from '../parts/frame.tsx'
import { GuideList, type Heading } from '../parts/guide-list.tsx'

/** Serves the guides as pages and as Markdown (`.md`), and their pictures. Each is rendered once, on the first request for it. */
export function guidePages({ config: { name, origin, shortPaths } }: Service) {
  const make = (guide: GuideName) => (
    <GuidePage
      site={{ name, origin, shortPaths }}
      guide={guide}
      title={guideTitle(guide)}
      {...render(guideText(guide), placeOf)}
    />
  )
  const pages = new Map(GUIDES.map((guide) => [guide, lazy(() => make(guide) as string)]))
  const headers = { 'cache-control': 'no-cache' }
  return pageApp()
    .get(routes.docs.guide.path, ({ request, params: { guide } }) => {
      const source = guide.replace(/\.md$/, '')
      if (!isGuide(source)) throw unknownUrl()
      if (source !== guide) return text(request, guideText(source), { type: 'text/markdown; charset=utf-8', headers })
      return page(pages.get(source)!(), 200, { ...headers, 'referrer-policy': 'no-referrer' })
    })
    .get(routes.docs.picture.path, ({ params: { picture } }) => {
      if (!guidePictures().has(picture)) throw unknownUrl()
      const kept = { 'content-type': 'image/png', 'cache-control': 'public, max-age=86400' }
      return new Response(guidePicture(picture), { headers: headersWith(kept) })
    })
}

interface GuideProps {
  site: Site
  /** The guide's name in its address. */
  guide: string
  title: string
  /** The content, from the service's own Markdown. */
  html: JSX.Element
  sections: readonly Heading[]
}

/** A guide: a page of `docs/`, beside the list of all guides. */
function GuidePage({ site, guide, title, html, sections }: GuideProps): JSX.Element {
  return (
    <DocsFrame
      site={site}
      title={`${title} · ${site.name}`}
      tab="guides"
      contents={{ label: 'Guides', opens: 'All guides' }}
      list={<GuideList open={{ guide, sections }} />}
      main={{ id: 'guide', name: 'guide' }}
    >
      {html}
    </DocsFrame>
  )
}

/** The service's address for a relative link or picture in `docs/`; null if it is not served. */
function placeOf(href: string): string | null {
  const [, file = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? []
  const guide = file.replace(/\.md$/, '')
  if (file.startsWith('pictures/')) return routes.docs.picture.href({ picture: file.slice('pictures/'.length) })
  return isGuide(guide) ? `${routes.docs.guide.href({ guide })}${anchor}` : null
}

/**
 * The service's own Markdown as HTML, with the page's sections. Its HTML is trusted: the files are part of the service.
 * @param placeOf the address for a relative link; null for a file that is not served, whose text then has no link.
 */
function render(markdown: string, placeOf: (href: string) => string | null): { html: string; sections: Heading[] } {
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
      image({ href, text }: Tokens.Image) {
        return `<img src="${attribute(escapeHtml(placeOf(href) ?? href))}" alt="${attribute(escapeHtml(text))}" loading="lazy">`
      },
      code({ text }: Tokens.Code) {
        return `<pre class="code"><code>${escapeHtml(text)}</code></pre>\n`
      },
      // Focusable, because wide tables scroll.
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

function isGuide(name: string): name is GuideName {
  return (GUIDES as readonly string[]).includes(name)
}

const PICTURE = /\]\(pictures\/([\w-]+\.png)\)/g

/** The names of the pictures in guides: the only files in `docs/pictures/` that are served. */
export const guidePictures = lazy(
  (): ReadonlySet<string> =>
    new Set(GUIDES.flatMap((guide) => Array.from(guideText(guide).matchAll(PICTURE), ([, name = '']) => name))),
)

/** One of `guidePictures`, as PNG. */
export function guidePicture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`../../../docs/pictures/${name}`, import.meta.url))))
}
