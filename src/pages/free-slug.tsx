/** @jsxImportSource @kitajs/html */

import { NoticePage } from '../../views/parts/notice.tsx'
import { isFree } from '../bundles/dry-run.ts'
import type { Service } from '../core/service.ts'
import { clientNetwork } from '../http/client.ts'
import { HTML, text } from '../http/respond.ts'
import { identify } from '../identity/identify.ts'
import { missingBundle } from '../launcher/seen.ts'
import { AT_LINK } from './asked-form.ts'
import { headingOf } from './problem-page.tsx'
import { siteFor } from './site.ts'

/**
 * The page of a link without a bundle, with the offer to make it, for whoever is signed in and could.
 * @throws Problem NOT_FOUND for everybody else, so that a slug that is free looks like one that is not.
 */
export async function freeSlugPage(request: Request, slug: string, service: Service): Promise<Response> {
  // Without a key: it is for programs, and an invalid one would be refused.
  const cookie = new Headers({ cookie: request.headers.get('cookie') ?? '' })
  const caller = await identify(cookie, clientNetwork(request), service)
  if (caller.kind !== 'session' || !(await isFree(slug, { ...service, caller }))) throw missingBundle()
  const next = { href: `/dashboard/links/new?${new URLSearchParams({ slug })}`, label: `Create a bundle at /l/${slug}` }
  const site = await siteFor(request, service)
  const problem = missingBundle()
  const { status, userMessage } = problem
  const view = (
    <NoticePage site={site} tab={String(status)} heading={headingOf(problem)} text={userMessage} next={next} />
  )
  return text(request, view as string, { type: HTML, status, headers: AT_LINK })
}
