/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { MadePage, type ShownBundle } from '../../views/home/made.tsx'
import { headingOf } from '../../views/launcher/launcher.tsx'
import { openClaim } from '../bundles/claims.ts'
import { page } from '../http/respond.ts'
import { find } from '../launcher/served.ts'
import type { Service } from '../service.ts'
import { lapsed, type Made, resultAt } from './made.ts'
import { plainSite } from './site.ts'

/** It is for whoever made the bundle: nobody keeps it, finds it, or is told of it by a link that leads away. */
const PRIVATE = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/** The page that tells the links of what a form of the home page has made; it can be loaded again and come back to. */
export function madePages(service: Service) {
  const { config, store } = service
  const { origin } = config
  const shown = async ({ slug, claimToken }: Made): Promise<ShownBundle[]> => {
    const bundle = await find(store.db, slug)
    if (bundle === null) return []
    const claimExpiresAt = claimToken === null ? null : await openClaim(store, claimToken)
    const claim = claimExpiresAt === null ? null : { url: `${origin}/claim/${claimToken}`, expiresAt: claimExpiresAt }
    const isOwned = bundle.ownerId !== null
    return [{ slug, url: `${origin}/l/${slug}`, heading: headingOf(bundle), claim, isOwned }]
  }
  return new Elysia().get('/made/:sealed', async ({ request, params }) => {
    const { bundles: made, left } = resultAt(params.sealed, config)
    const bundles = (await Promise.all(made.map(shown))).flat()
    if (bundles.length === 0) throw lapsed()
    return page(request, <MadePage site={plainSite(config)} bundles={bundles} left={left} />, 200, PRIVATE)
  })
}
