/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { Problem, unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { callContext, clientNetwork } from '../../../src/http/request.ts'
import { headersWith, json, type Page, page, text } from '../../../src/http/respond.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { execute } from '../../../src/operations/execute.ts'
import type { CallContext } from '../../../src/operations/operation.ts'
import { presented } from '../../../src/start-page/answers.ts'
import { handleAfter } from '../../../src/start-page/appearance.ts'
import { listListed } from '../../../src/start-page/operations.ts'
import { inline } from '../../parts/markdown.ts'
import { plainSite } from '../../parts/visitor.ts'
import { StartView } from './view.tsx'

/** How long a stranger’s page is kept without a change of any bundle: what is opened most, or now, changes by itself. */
const KEPT_MS = 10_000
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** The parameters of a start page’s address; others are ignored. */
const FILTERS = new Set(['q', 'tag', 'cursor'])
/** For answers that depend on the viewer. */
const NOT_KEPT = { 'cache-control': 'private, no-store' }

/** A page for everybody without a session. */
interface Kept {
  html: string
  /** When it was made. */
  at: number
  /** The number of changes at that time. */
  changes: number
}

/** The start pages of organisations, and that of the home page. */
export function startPages(service: Service) {
  const kept = new LRUCache<string, Kept>({ maxSize: MAX_KEPT_BYTES, sizeCalculation: ({ html }) => 2 * html.length })

  const read = async (request: Request, handle: string, context: CallContext) => {
    const { searchParams } = new URL(request.url)
    const filters = [...searchParams].filter(([name, value]) => FILTERS.has(name) && value.trim() !== '')
    const input = { organizationId: handle, ...Object.fromEntries(filters) }
    const { output } = await execute(listListed, () => input, context, service)
    return { output, filters: new Map(filters) }
  }

  const shown = async (request: Request, handle: string): Promise<Pick<Kept, 'html'> & { isEmpty: boolean }> => {
    const context = await callContext(request, service)
    // A key identifies its caller as a session does: only a page for nobody in particular is kept.
    const isShared = context.caller.kind === 'anonymous' && new URL(request.url).search === ''
    const known = isShared ? kept.get(handle) : undefined
    if (known?.changes === service.launchers.changes && Date.now() - known.at < KEPT_MS) {
      await countForAddress(service, 'reading', clientNetwork(request), 'start ')
      return { html: known.html, isEmpty: false }
    }
    const { changes } = service.launchers
    const { output, filters } = await read(request, handle, context)
    const [q = '', tag = ''] = [filters.get('q'), filters.get('tag')]
    const view = (
      <StartView {...output} site={plainSite(service.config)} q={q} tag={tag} isLater={filters.has('cursor')} />
    )
    const html = view as string
    if (isShared) kept.set(handle, { html, at: Date.now(), changes })
    return { html, isEmpty: output.page.bundles.length === 0 && filters.size === 0 }
  }

  const app = new Elysia().get(routes.startPage.page.path, async ({ request, params }) => {
    const [handle = '', form = 'page', ...more] = params.handle.split('.')
    if (!isForm(form) || more.length > 0) throw unknownUrl()
    try {
      if (form === 'page') return page((await shown(request, handle)).html, 200, NOT_KEPT)
      const { output } = await read(request, handle, await callContext(request, service))
      const start = presented(output, service.config)
      if (form === 'json') return json(start, 200, NOT_KEPT, request.method)
      return text(request, markdownOf(start), { type: 'text/markdown; charset=utf-8', headers: NOT_KEPT })
    } catch (error) {
      const isMissing = error instanceof Problem && error.code === 'NOT_FOUND'
      const next = isMissing ? await handleAfter(service.store, handle) : null
      if (next === null) throw error
      const location = `${routes.startPage[form].href({ handle: next })}${new URL(request.url).search}`
      return new Response(null, { status: 307, headers: headersWith({ location, 'cache-control': 'no-store' }) })
    }
  })

  /** The start page as the home page, by the setting; null if it has nothing to show to the visitor. */
  const asHome = async (request: Request): Promise<Page | null> => {
    const { homeOrganization } = service.config
    if (homeOrganization === undefined) return null
    const at = async (handle: string) => {
      try {
        const { html, isEmpty } = await shown(request, handle)
        return isEmpty ? null : page(html, 200, NOT_KEPT)
      } catch (error) {
        if (error instanceof Problem && error.code === 'NOT_FOUND') return null
        throw error
      }
    }
    const own = await at(homeOrganization)
    if (own !== null) return own
    const next = await handleAfter(service.store, homeOrganization)
    return next === null ? null : at(next)
  }
  return { app, asHome }
}

const isForm = (text: string): text is keyof typeof routes.startPage => Object.hasOwn(routes.startPage, text)

function markdownOf({ organization, bundles }: ReturnType<typeof presented>): string {
  const rows = bundles.map(({ title, slug, url }) => `- [${inline(title ?? slug)}](${url})`)
  return [`# ${inline(organization.name)}`, '', ...rows, ''].join('\n')
}
