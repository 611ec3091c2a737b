/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { openClaim } from '../../../src/bundles/claims/claims.ts'
import { type CreatedBundle, readResult, resultExpired } from '../../../src/bundles/claims/result.ts'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { page } from '../../../src/http/respond.ts'
import { accessGateOf, decideAccess } from '../../../src/launcher/access.ts'
import { find, publicBundle, slugThat } from '../../../src/launcher/served.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { pictureName, pictureWords } from '../../launcher/parts/picture.ts'
import type { Site } from '../../parts/layout.tsx'
import { nameable, siteFor } from '../../parts/visitor.ts'
import { type ResultBundle, ResultPage } from './view.tsx'

/** The URL is the secret of the bundles' creator: it is not cached, indexed, or sent as a Referer. */
const PRIVATE = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/** The page with the links of newly created bundles. A GET request, so that it can be reloaded. */
export function resultPages(service: Service) {
  const { config, store, launchers } = service
  const { origin } = config
  const load = async (
    request: Request,
    user: Site['user'],
    { slug: made, claimToken }: CreatedBundle,
  ): Promise<ResultBundle[]> => {
    const { headers } = request
    // Its link may have been changed since.
    const slug = await slugThat(store.db, made)
    // With its icons, since the picture's name is that of what it shows.
    const bundle = slug === null ? null : await find(store.db, slug, launchers.showsIcons)
    if (slug === null || bundle === null) return []
    await launchers.refuseTakenDown(slug)
    const claimExpiresAt = claimToken === null ? null : await openClaim(store, claimToken)
    const claim =
      claimToken === null || claimExpiresAt === null
        ? null
        : { url: `${origin}${routes.account.claim.href({ token: claimToken })}`, expiresAt: claimExpiresAt }
    const isOwned = bundle.ownerId !== null
    // The creator sees its content; once somebody else owns it, only visitors with access do.
    const isSeen = !isOwned || (await decideAccess(accessGateOf(bundle), headers, service)).refusal === null
    const heading = isSeen ? headingOf(bundle) : 'A bundle that you may not see'
    const url = linkOf(slug, config)
    const words = pictureWords(config.name, publicBundle(null, bundle))
    const picture =
      isSeen && bundle.access === 'link' ? `${routes.launcher.picture.href({ slug })}?v=${pictureName(words)}` : null
    const naming = user != null && isOwned ? await nameable(request, service, user, slug) : null
    return [{ slug, url, heading, variables: isSeen ? bundle.variables : [], picture, claim, isOwned, naming }]
  }
  return new Elysia().get(routes.made.path, async ({ request, params }) => {
    const { bundles: created, left } = readResult(params.sealed, config)
    const site = await siteFor(request, service)
    const bundles = (await Promise.all(created.map((bundle) => load(request, site.user, bundle)))).flat()
    if (bundles.length === 0) throw resultExpired()
    const { pathname, searchParams } = new URL(request.url)
    const view = <ResultPage site={site} bundles={bundles} left={left} path={pathname} was={searchParams.get('was')} />
    // Without a Referer, a browser hides from us that our own page sent a form. Such a page has no secret.
    const hasForms = bundles.some(({ naming }) => naming !== null) && bundles.every(({ claim }) => claim === null)
    return page(view, 200, hasForms ? { ...PRIVATE, 'referrer-policy': 'same-origin' } : PRIVATE)
  })
}
