/** @jsxImportSource @kitajs/html */

import { GuidePage } from '../../views/docs/guide.tsx'
import { GUIDES, type GuideName, guideText, guideTitle, isGuide } from '../api/guides.ts'
import { lazy } from '../core/lazy.ts'
import { unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { page, pageApp } from '../http/page.ts'
import { text } from '../http/respond.ts'
import { render } from './markdown.ts'

/** Serves the guides as pages, and as Markdown with `.md`. Loaded on the first request for one; each is rendered once. */
export function guidePages({ config: { name, origin } }: Service) {
  const titles = GUIDES.map((guide) => ({ guide, title: guideTitle(guide) }))
  const make = (guide: GuideName) => (
    <GuidePage site={{ name, origin }} guide={guide} guides={titles} {...render(guideText(guide), placeOf)} />
  )
  const pages = new Map(GUIDES.map((guide) => [guide, lazy(() => make(guide) as string)]))
  const headers = { 'cache-control': 'no-cache' }
  return pageApp().get('/docs/:guide', ({ request, params: { guide } }) => {
    const source = guide.replace(/\.md$/, '')
    if (!isGuide(source)) throw unknownUrl()
    if (source !== guide) return text(request, guideText(source), { type: 'text/markdown; charset=utf-8', headers })
    return page(pages.get(source)!(), 200, { ...headers, 'referrer-policy': 'no-referrer' })
  })
}

/** Where a link of a file in `docs/` leads on the service; null if it is not served. */
function placeOf(href: string): string | null {
  const [, file = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? []
  const guide = file.replace(/\.md$/, '')
  return isGuide(guide) ? `/docs/${guide}${anchor}` : null
}
