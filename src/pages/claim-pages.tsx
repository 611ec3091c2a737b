/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { ClaimedPage, ClaimGonePage, ClaimPage, ClaimsPage } from '../../views/account/claim.tsx'
import { claimBundle, listClaims } from '../bundles/claim-operations.ts'
import { findByToken } from '../bundles/claims.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import { execute } from '../operations/execute.ts'
import { signInMethods, siteFor } from './site.ts'

const RAW = { parse: 'none' } as const
const DAY_MS = 86_400_000

/** Claim pages: the claim link, and the list of bundles that a verified address may claim. */
export function claimPages(service: Service) {
  const siteOf = (request: Request) => siteFor(request, service)
  return new Elysia()
    .get('/claim/:token', ({ request, params }) => claimPage(request, service, params.token))
    .post(
      '/claim/:token',
      async ({ request, params: { token } }) => {
        try {
          const { output } = await execute(claimBundle, () => ({ token }), await callContext(request, service), service)
          return page(<ClaimedPage site={await siteOf(request)} bundle={output} />)
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          return claimPage(request, service, token, error)
        }
      },
      RAW,
    )
    .get('/claims', async ({ request }) => {
      const { caller } = await callContext(request, service)
      return caller.kind === 'anonymous' ? seeOther('/sign-in?next=/claims') : claimsPage(request, service)
    })
    .post(
      '/claims',
      async ({ request }) => {
        const slug = (await readForm(request)).get('slug') ?? ''
        try {
          const { output } = await execute(claimBundle, () => ({ slug }), await callContext(request, service), service)
          return page(<ClaimedPage site={await siteOf(request)} bundle={output} />)
        } catch (error) {
          if (!(error instanceof Problem) || error.code === 'UNAUTHORIZED') throw error
          return claimsPage(request, service, error)
        }
      },
      RAW,
    )
}

/** How many bundles a page of claims shows. */
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
      path={`/claim/${encodeURIComponent(token)}`}
      hasSignUpPage={signInMethods(config).hasSignUpPage}
      error={problem?.userMessage}
    />
  )
  return page(view, problem?.status ?? 200)
}
