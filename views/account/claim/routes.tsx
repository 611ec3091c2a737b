/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { claimBundle, listClaims } from '../../../src/bundles/claims/claim-operations.ts'
import { findByToken } from '../../../src/bundles/claims/claims.ts'
import { getBundle } from '../../../src/bundles/edit/operations.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { RAW, readForm } from '../../../src/http/body.ts'
import { callContext } from '../../../src/http/request.ts'
import { type Page, page, seeOther } from '../../../src/http/respond.ts'
import { cookieIn } from '../../../src/identity/sessions.ts'
import { execute } from '../../../src/operations/execute.ts'
import { nameableOf, signInMethods, siteFor } from '../../parts/visitor.ts'
import { claimByToken, claimedCookie, claimedPath } from '../parts/account-forms.ts'
import { ClaimedPage, ClaimGonePage, ClaimPage, ClaimsPage } from './view.tsx'

/** The page of a claim link, and the list of bundles that a verified address may claim. */
export function claimPages(service: Service) {
  return new Elysia()
    .get(routes.account.claim.path, async ({ request, params: { token } }) => {
      const claimed = cookieIn(request.headers, claimedCookie(token))
      return claimed !== null && SLUG.test(claimed)
        ? seeOther(claimedPath(claimed))
        : await claimPage(request, service, token)
    })
    .post(
      routes.account.claim.path,
      async ({ request, params: { token } }) => {
        try {
          return await claimByToken(request, service, token)
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          return claimPage(request, service, token, error)
        }
      },
      RAW,
    )
    .get(routes.account.claims.path, async ({ request }) => {
      const context = await callContext(request, service)
      const query = new URL(request.url).searchParams
      const slug = query.get('claimed')
      if (context.caller.kind === 'anonymous')
        return seeOther(
          `${routes.account.signIn.href()}?next=${encodeURIComponent(slug === null ? routes.account.claims.href() : claimedPath(slug))}`,
        )
      if (slug === null) return claimsPage(request, service)
      const { output } = await execute(getBundle, () => ({ slug }), context, service)
      const site = await siteFor(request, service)
      const naming = site.user == null ? null : await nameableOf(output, site.user, service)
      return page(<ClaimedPage site={site} bundle={output} naming={naming} was={query.get('was')} />)
    })
    .post(
      routes.account.claims.path,
      async ({ request }) => {
        const slug = (await readForm(request)).get('slug') ?? ''
        try {
          await execute(claimBundle, () => ({ slug }), await callContext(request, service), service)
          return seeOther(claimedPath(slug))
        } catch (error) {
          if (!(error instanceof Problem) || error.code === 'UNAUTHORIZED') throw error
          return claimsPage(request, service, error)
        }
      },
      RAW,
    )
}

const SLUG = /^[a-z0-9-]{3,64}$/

/** Bundles per page of claims. */
const CLAIMS_PAGE = 20

async function claimsPage(request: Request, service: Service, problem?: Problem): Promise<Page> {
  const from = new URL(request.url).searchParams.get('offset') ?? ''
  const offset = /^\d{1,9}$/.test(from) ? Number(from) : 0
  const paging = { limit: CLAIMS_PAGE, offset }
  const { output } = await execute(listClaims, () => paging, await callContext(request, service), service)
  const site = await siteFor(request, service)
  const view = <ClaimsPage site={site} bundles={output.bundles} paging={paging} error={problem?.userMessage} />
  return page(view, problem?.status ?? 200, problem?.headers)
}

async function claimPage(request: Request, service: Service, token: string, problem?: Problem): Promise<Page> {
  const { store, config } = service
  const site = await siteFor(request, service)
  const bundle = await findByToken(store, token)
  if (bundle === null) return page(<ClaimGonePage site={site} days={Math.ceil(config.claimTtlMs / DAY_MS)} />, 404)
  await service.launchers.refuseTakenDown(bundle.slug)
  const view = (
    <ClaimPage
      site={site}
      bundle={bundle}
      path={routes.account.claim.href({ token })}
      hasSignUpPage={signInMethods(config).hasSignUpPage}
      error={problem?.userMessage}
    />
  )
  return page(view, problem?.status ?? 200)
}
