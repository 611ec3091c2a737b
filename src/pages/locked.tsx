/** @jsxImportSource @kitajs/html */

import { QR, type Unlocked } from '../../views/launcher/bar.tsx'
import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import { LockedPage, type PasswordForm } from '../../views/launcher/locked.tsx'
import { withoutPath } from '../audience/referrer.ts'
import { linkOf } from '../bundles/link.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { type Filling, qrProblem, queryOf } from '../core/template.js'
import { readForm } from '../http/body.ts'
import { HTML, seeOther, text } from '../http/respond.ts'
import { refused } from '../launcher/access-decision.ts'
import type { Launcher } from '../launcher/cached.ts'
import { qrCode } from '../launcher/qr.ts'
import { type PolicyRequest, withReferrer } from '../launcher/seen.ts'
import type { PublicBundle } from '../launcher/served.ts'
import type { Site } from '../operations/operation.ts'
import { AT_LINK } from './asked-form.ts'
import { plainSite } from './site.ts'
import { isPassword } from './unlock.ts'

/** What may stand before a launcher besides its times. */
type Lock = { kind: 'members' } | { kind: 'password' }

/** Hosts are shorter; the rest of a referrer is not used. */
const MAX_REFERRER = 300

/** The page in place of a launcher that needs a session or a password. It says nothing of the bundle. */
export async function lockedPage(request: Request, slug: string, lock: Lock, service: Service): Promise<Response> {
  if (lock.kind === 'password') {
    const referrer = request.headers.get('referer') ?? ''
    return passwordPage(request, slug, { referrer, error: undefined }, refused(lock), service)
  }
  const session = request.headers.has('cookie') ? await service.readSession(request.headers) : null
  const address = addressOf(request, slug)
  const view = <LockedPage site={plainSite(service.config)} slug={slug} address={address} signedInAs={session?.email} />
  return locked(request, view, refused(lock))
}

/**
 * The viewer’s request, as rules read it, if its form has the bundle’s password; otherwise the answer.
 * @param isInside whether they may enter without it.
 */
export async function tryPassword(
  request: Request,
  { slug, bundleId, gate }: Launcher,
  isInside: boolean,
  service: Service,
): Promise<PolicyRequest | Response> {
  const form = await readForm(request)
  if (gate?.access !== 'password') return seeOther(addressOf(request, slug))
  const password = form.get('password') ?? ''
  const referrer = form.get('referrer') ?? ''
  const asked = { headers: withReferrer(request.headers, referrer === '' ? null : referrer), url: request.url }
  if (isInside) return asked
  const again = (problem: Problem, error: string) => passwordPage(request, slug, { referrer, error }, problem, service)
  const needed = refused({ kind: 'password' })
  if (password === '') return again(needed, 'Enter the password.')
  try {
    if (!(await isPassword(password, bundleId, request, service))) {
      return again(needed, 'This isn’t the password. Check it, or ask whoever sent you the link.')
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'RATE_LIMITED') throw error
    return again(error, error.message)
  }
  return asked
}

function passwordPage(
  request: Request,
  slug: string,
  { referrer, error }: Pick<PasswordForm, 'referrer' | 'error'>,
  problem: Problem,
  { config }: Service,
): Response {
  const form = { referrer: withoutPath(referrer.slice(0, MAX_REFERRER)), error }
  const view = <LockedPage site={plainSite(config)} slug={slug} address={addressOf(request, slug)} form={form} />
  return locked(request, view, problem)
}

function locked(request: Request, view: JSX.Element, { status, headers }: Problem): Response {
  return text(request, view as string, {
    type: HTML,
    status,
    headers: { 'referrer-policy': 'same-origin', ...AT_LINK, ...headers },
  })
}

/** The launcher’s address as it was asked for, with values and the query that its rules may depend on; without a password. */
function addressOf({ url }: Request, slug: string): string {
  const from = url.indexOf('?')
  const [, value = ''] = /^(?:\w+:\/\/[^/]*)?\/l\/[^/?#]+(\/[^/?#]+)/.exec(url) ?? []
  const query = new URLSearchParams(from === -1 ? '' : url.slice(from))
  query.delete('password')
  return `/l/${slug}${value}${query.size === 0 ? '' : `?${query}`}`
}

/** What a page has within after its password was given. */
export function unlocked(bundle: PublicBundle, filling: Filling, site: Site): Unlocked {
  const address = linkOf(bundle.slug, site) + queryOf(filling)
  const isTooLong = qrProblem(address) !== null
  return {
    qr: isTooLong ? null : qrCode(address).replace('<svg ', `<svg role="img" aria-label="${QR}" `),
    bookmarks: `data:text/html;charset=utf-8;base64,${Buffer.from(bookmarksFile(bundle)).toString('base64')}`,
  }
}
