/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { type ResultBundle, ResultPage } from '../../views/home/result.tsx'
import { headingOf } from '../../views/launcher/launcher.tsx'
import { pictureName, pictureWords } from '../../views/launcher/picture.ts'
import { openClaim } from '../bundles/claims.ts'
import { linkOf } from '../bundles/link.ts'
import type { Service } from '../core/service.ts'
import { page } from '../http/page.ts'
import { decideAccess } from '../launcher/access-decision.ts'
import { accessGateOf } from '../launcher/access-gate.ts'
import { find, publicBundle } from '../launcher/served.ts'
import { type CreatedBundle, readResult, resultExpired } from './result.ts'
import { siteFor } from './site.ts'

/** The URL is a secret of the person who created the bundles: not cached, indexed, or sent as a Referer. */
const PRIVATE = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/** The page with the links of the bundles that the home page has created. A GET, so that it can be reloaded. */
export function resultPages(service: Service) {
  const { config, store, launchers } = service
  const { origin } = config
  const load = async ({ headers }: Request, { slug, claimToken }: CreatedBundle): Promise<ResultBundle[]> => {
    const bundle = await find(store.db, slug)
    if (bundle === null) return []
    await launchers.refuseTakenDown(slug)
    const claimExpiresAt = claimToken === null ? null : await openClaim(store, claimToken)
    const claim = claimExpiresAt === null ? null : { url: `${origin}/claim/${claimToken}`, expiresAt: claimExpiresAt }
    const isOwned = bundle.ownerId !== null
    // Whoever created it sees what is in it; once it is someone else's, only who may see it there.
    const isSeen = !isOwned || (await decideAccess(accessGateOf(bundle), headers, service)).refusal === null
    const heading = isSeen ? headingOf(bundle) : 'A bundle that you may not see'
    const url = linkOf(slug, config)
    const words = pictureWords(config.name, publicBundle(null, bundle))
    const picture = isSeen && bundle.access === 'link' ? `/l/${slug}/picture.png?v=${pictureName(words)}` : null
    return [{ slug, url, heading, picture, claim, isOwned }]
  }
  return new Elysia().get('/made/:sealed', async ({ request, params }) => {
    const { bundles: created, left } = readResult(params.sealed, config)
    const bundles = (await Promise.all(created.map((bundle) => load(request, bundle)))).flat()
    if (bundles.length === 0) throw resultExpired()
    return page(<ResultPage site={await siteFor(request, service)} bundles={bundles} left={left} />, 200, PRIVATE)
  })
}
