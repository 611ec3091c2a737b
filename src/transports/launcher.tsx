import { Html } from '@elysiajs/html'
import { LauncherPage } from '../../views/launcher.tsx'
import type { PublicBundle } from '../bundles/bundles.ts'
import type { Encoding, Launcher } from '../bundles/launchers.ts'
import { Problem } from '../problem.ts'
import type { Service } from '../service.ts'
import { clientAddresses } from './client.ts'
import { encode, encodingFor, HTML, headersWith } from './respond.ts'

/** The launcher at `/l/:slug`, as the front door and the router ask for it. */
export interface LauncherPages {
  /** The finished answer where the page is kept; looks nothing up. */
  kept(request: Request, slug: string, address: string): Response | undefined
  /** The answer to whatever reaches the router; reads and renders what is not kept. */
  answer(request: Request, slug: string): Promise<Response>
}

/**
 * The hot path: a view of a bundle that was viewed lately neither reads nor renders. It is the one page
 * that goes round `execute`, for it takes no input beyond its slug, and has no limit and no refusal.
 */
export function launcherPages({ config, launchers, recorder }: Service): LauncherPages {
  const site = { name: config.name, origin: config.origin }
  const heads = { br: head('br'), gzip: head('gzip'), identity: head('identity') }
  const render = (bundle: PublicBundle, encoding: Encoding): Launcher['pages'] => ({
    [encoding]: encode((<LauncherPage site={site} bundle={bundle} />) as string, encoding, 'quick'),
  })
  const respond = (request: Request, { counter, pages }: Launcher, encoding: Encoding, address: string) => {
    if (isView(request)) recorder.view(counter, address, request.headers.get('user-agent') ?? '')
    return new Response(pages[encoding], heads[encoding])
  }
  const kept: LauncherPages['kept'] = (request, slug, address) => {
    const launcher = launchers.peek(slug)
    if (launcher === undefined) return undefined
    const encoding = encodingFor(request)
    return launcher.pages[encoding] === undefined ? undefined : respond(request, launcher, encoding, address)
  }
  return {
    kept,
    async answer(request, slug) {
      const address = clientAddresses.get(request) ?? ''
      const encoding = encodingFor(request)
      const page = kept(request, slug, address)
      if (page !== undefined) return page
      const launcher = await launchers.load(slug, (bundle) => render(bundle, encoding))
      return launcher === null ? noBundle() : respond(request, launcher, encoding, address)
    },
  }
}

/** Refuses a slug that no bundle is served under. */
export function noBundle(): never {
  throw new Problem('NOT_FOUND', 'This link leads to no bundle. It may have been deleted, or a letter may be wrong.')
}

/** Made once: building headers costs more than everything else a kept page needs. */
function head(encoding: Encoding): ResponseInit {
  return {
    headers: headersWith({
      'content-type': HTML,
      'cache-control': 'no-cache',
      'x-robots-tag': 'noindex',
      vary: 'Accept-Encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }),
  }
}

/** Whether a request is somebody looking: not a HEAD, nor a browser fetching ahead (decisions 5). */
function isView({ method, headers }: Request): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return method === 'GET' && (purpose === null || !/prefetch|prerender|preview/i.test(purpose))
}
