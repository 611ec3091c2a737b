/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { ClaimedPage, ClaimGonePage, ClaimPage, ClaimsPage } from '../../views/account/claim.tsx'
import { claimBundle, listClaims } from '../bundles/claim-operations.ts'
import { findByToken } from '../bundles/claims.ts'
import { getBundle } from '../bundles/operations.ts'
import { sha256 } from '../core/hash.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { DAY_MS } from '../core/time.ts'
import { RAW, readForm } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import { cookieIn, cookieLine, cookieOf } from '../identity/cookies.ts'
import { execute } from '../operations/execute.ts'
import { requestAfter } from './account-forms.ts'
import { signInMethods, siteFor } from './site.ts'

/** Claim pages: the claim link, and the list of bundles that a verified address may claim. */
export function claimPages(service: Service) {
  return new Elysia()
    .get('/claim/:token', async ({ request, params: { token } }) => {
      const claimed = cookieIn(request.headers, claimedCookie(token))
      return claimed !== null && SLUG.test(claimed)
        ? seeOther(claimedPath(claimed))
        : await claimPage(request, service, token)
    })
    .post(
      '/claim/:token',
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
    .get('/claims', async ({ request }) => {
      const context = await callContext(request, service)
      const slug = new URL(request.url).searchParams.get('claimed')
      if (context.caller.kind === 'anonymous')
        return seeOther(`/sign-in?next=${encodeURIComponent(slug === null ? '/claims' : claimedPath(slug))}`)
      if (slug === null) return claimsPage(request, service)
      const { output } = await execute(getBundle, () => ({ slug }), context, service)
      return page(<ClaimedPage site={await siteFor(request, service)} bundle={output} />)
    })
    .post(
      '/claims',
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

/** The page after a claim. It can be read again, unlike a claim link. */
const claimedPath = (slug: string) => `/claims?claimed=${encodeURIComponent(slug)}`

/** The cookie by which a browser that goes back to a claim link it has used gets to the bundle. It proves nothing. */
const claimedCookie = (token: string) => `claimed-${sha256(token).toString('hex').slice(0, 12)}`

const SLUG = /^[a-z0-9-]{3,64}$/
const COOKIE_SECONDS = 86_400

async function claimByToken(request: Request, service: Service, token: string): Promise<Response> {
  const { output } = await execute(claimBundle, () => ({ token }), await callContext(request, service), service)
  const claimed = cookieOf(claimedCookie(token), output.slug, COOKIE_SECONDS, service.config, '/claim')
  return seeOther(claimedPath(output.slug), new Response(null, { headers: { 'set-cookie': cookieLine(claimed) } }))
}

/**
 * Leads on after signing in or up. Who came from a claim link pressed “… and claim”, so the bundle is claimed; if that is
 * refused, the claim page says why.
 * @param signedIn better-auth’s answer, with the cookies of the new session.
 */
export async function leadOn(request: Request, service: Service, next: string, signedIn: Response): Promise<Response> {
  const token = /^\/claim\/([\w-]+)$/.exec(next)?.[1]
  if (token === undefined) return seeOther(next, signedIn)
  try {
    const answer = await claimByToken(requestAfter(request, signedIn), service, token)
    for (const cookie of signedIn.headers.getSetCookie()) answer.headers.append('set-cookie', cookie)
    return answer
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return seeOther(next, signedIn)
  }
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
