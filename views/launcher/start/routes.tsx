/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { Problem, unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { callContext, clientNetwork } from '../../../src/http/request.ts'
import { headersWith, KeptPage, type Page, page } from '../../../src/http/respond.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { handleAfter } from '../../../src/start-page/appearance.ts'
import { type StartPage, startPageOf } from '../../../src/start-page/listed.ts'
import { plainSite } from '../../parts/visitor.ts'
import { listedAt, NOT_KEPT, startAs } from './start-forms.ts'
import { StartView } from './view.tsx'

/** How long a stranger’s page is kept without a change of any bundle: what is opened most, or now, changes by itself. */
const KEPT_MS = 10_000
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** A page for everybody without a session. */
interface Kept {
  page: KeptPage
  /** When it is made anew at the latest. */
  until: number
  /** The number of changes at that time. */
  changes: number
}

/** The start pages of organisations, and that of the home page. */
export function startPages(service: Service) {
  const kept = new LRUCache<string, Kept>({
    maxSize: MAX_KEPT_BYTES,
    // With its encoded forms.
    sizeCalculation: ({ page: { html } }) => 3 * html.length,
  })

  const shown = async (request: Request, handle: string): Promise<{ answer: Page | Response; isEmpty: boolean }> => {
    const context = await callContext(request, service)
    // A key identifies its caller as a session does: only a page for nobody in particular is kept.
    const isShared = context.caller.kind === 'anonymous' && new URL(request.url).search === ''
    const known = isShared ? kept.get(handle) : undefined
    if (known?.changes === service.launchers.changes && Date.now() < known.until) {
      await countForAddress(service, 'reading', clientNetwork(request), 'start ')
      return { answer: known.page.answer(request), isEmpty: false }
    }
    const { changes } = service.launchers
    const { output, filters } = await listedAt({ handle, context }, request, service)
    const [q = '', tag = ''] = [filters.get('q'), filters.get('tag')]
    const view = (
      <StartView {...output} site={plainSite(service.config)} q={q} tag={tag} isLater={filters.has('cursor')} />
    )
    if (isShared) kept.set(handle, { page: new KeptPage(view as string, NOT_KEPT), until: keptUntil(output), changes })
    return { answer: page(view, 200, NOT_KEPT), isEmpty: output.page.bundles.length === 0 && filters.size === 0 }
  }

  /** The answer of a former handle: it leads to the present page, if that exists for this visitor. */
  const leads = async (request: Request, handle: string, form: Form) => {
    const next = await handleAfter(service.store, handle)
    if (next === null) return null
    const { caller } = await callContext(request, service)
    await startPageOf(service, caller, next, { limit: 1 })
    const location = `${routes.startPage[form].href({ handle: next })}${new URL(request.url).search}`
    return new Response(null, { status: 307, headers: headersWith({ location, ...NOT_KEPT }) })
  }

  const answered = async (request: Request, handle: string, form: Form): Promise<Page | Response> => {
    try {
      if (form === 'page') return (await shown(request, handle)).answer
      return await startAs({ form, handle }, request, service)
    } catch (error) {
      if (!isMissing(error)) throw error
      const led = await leads(request, handle, form)
      if (led !== null) return led
      throw error
    }
  }

  const app = new Elysia()
    .get(routes.startPage.page.path, ({ request, params }) => {
      const [, handle, ending = 'page'] = /^([^.]*)(?:\.(json|md))?$/.exec(params.handle) ?? []
      if (handle === undefined) throw unknownUrl()
      return answered(request, handle, ending as 'page' | 'json' | 'md')
    })
    .get(routes.startPage.feed.path, ({ request, params: { handle } }) => answered(request, handle, 'feed'))

  /** The start page as the home page, by the setting; null if it has nothing to show to the visitor. */
  const asHome = async (request: Request): Promise<Page | Response | null> => {
    const { homeOrganization } = service.config
    if (homeOrganization === undefined) return null
    const at = async (handle: string) => {
      try {
        const { answer, isEmpty } = await shown(request, handle)
        return isEmpty ? null : answer
      } catch (error) {
        if (isMissing(error)) return null
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

/** No longer than until one of its bundles closes. */
function keptUntil({ page: { bundles } }: StartPage): number {
  const ends = bundles.flatMap(({ closesAt }) => (closesAt === null ? [] : [Date.parse(closesAt)]))
  return Math.min(Date.now() + KEPT_MS, ...ends)
}

type Form = keyof typeof routes.startPage

const isMissing = (error: unknown) => error instanceof Problem && error.code === 'NOT_FOUND'
