/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { ClaimedPage, ClaimPage, ClaimsPage } from '../../views/account/claim.tsx'
import { findByToken } from '../bundles/claims.ts'
import { claimBundle, listClaims } from '../bundles/operations.ts'
import { execute } from '../core/execute.ts'
import { Problem } from '../core/problem.ts'
import { readForm } from '../http/body.ts'
import { asking } from '../http/client.ts'
import { page, seeOther } from '../http/respond.ts'
import type { Service } from '../service.ts'
import { siteFor } from './site.ts'

const RAW = { parse: 'none' } as const

/** The pages of claims: the link that a maker keeps, and what can be claimed without one. */
export function claimPages(service: Service) {
  const siteOf = (request: Request) => siteFor(request, service)
  return new Elysia()
    .get('/claim/:token', ({ request, params }) => claimPage(request, service, params.token))
    .post(
      '/claim/:token',
      async ({ request, params: { token } }) => {
        try {
          const { output } = await execute(claimBundle, () => ({ token }), await asking(request, service), service)
          return page(request, <ClaimedPage site={await siteOf(request)} bundle={output} />)
        } catch (error) {
          if (!(error instanceof Problem) || error.code === 'NOT_FOUND') throw error
          return claimPage(request, service, token, error)
        }
      },
      RAW,
    )
    .get('/claims', async ({ request }) => {
      const who = await asking(request, service)
      if (who.caller.kind === 'anonymous') return seeOther('/sign-in?next=/claims')
      const { output } = await execute(listClaims, () => ({}), who, service)
      return page(request, <ClaimsPage site={await siteOf(request)} bundles={output.bundles} />)
    })
    .post(
      '/claims',
      async ({ request }) => {
        const slug = (await readForm(request)).get('slug') ?? ''
        const { output } = await execute(claimBundle, () => ({ slug }), await asking(request, service), service)
        return page(request, <ClaimedPage site={await siteOf(request)} bundle={output} />)
      },
      RAW,
    )
}

async function claimPage(request: Request, service: Service, token: string, problem?: Problem): Promise<Response> {
  const { store, readSession } = service
  const bundle = await findByToken(store, token)
  if (bundle === null) throw new Problem('NOT_FOUND', 'This claim link is unknown, was used, or has lapsed.')
  const session = await readSession(request.headers)
  const claimer = session === null ? null : session.organizationId === null ? session.email : 'your active organisation'
  const view = (
    <ClaimPage
      site={await siteFor(request, service)}
      bundle={bundle}
      path={`/claim/${encodeURIComponent(token)}`}
      claimer={claimer}
      error={problem?.message}
    />
  )
  return page(request, view, problem?.status ?? 200)
}
