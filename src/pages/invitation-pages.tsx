/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import {
  ConfirmFirstPage,
  InvitationGonePage,
  InvitationPage,
  InvitationUsedPage,
} from '../../views/account/invitation.tsx'
import { JoinPage } from '../../views/account/join.tsx'
import { withFlash } from '../../views/dashboard/parts/flash.tsx'
import { type Invitation, invitationOf, isMailedSecret, joinedBy } from '../accounts/invitations.ts'
import { signInByMailbox } from '../api/auth-mailbox.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { RAW, readForm } from '../http/body.ts'
import { refuseOtherSites } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import type { Session } from '../identity/caller.ts'
import { cookieLine } from '../identity/cookies.ts'
import { withDevice } from '../identity/devices.ts'
import { callAuth, endIfOther, explain, orRefusal, refused, requestAfter } from './account-forms.ts'
import { signInMethods, siteFor } from './site.ts'

/**
 * Invitations: by the mailed link, whose secret proves the address, and without it for people who are signed in with the
 * address.
 */
export function invitationPages(service: Service) {
  return new Elysia()
    .get('/invitations/:id', async ({ request, params: { id } }) => {
      if ((await service.readSession(request.headers)) === null)
        return seeOther(`/sign-in?next=/invitations/${encodeURIComponent(id)}`)
      return ownPage(request, service, id)
    })
    .post(
      '/invitations/:id',
      async ({ request, params: { id } }) => {
        const answer = await accept(request, service, id)
        return answer instanceof Problem ? ownPage(request, service, id, answer) : joined(answer)
      },
      RAW,
    )
    .get('/invitations/:id/:secret', ({ request, params }) => mailedPage({ request, service, ...params }))
    .post('/invitations/:id/:secret', ({ request, params }) => join({ request, service, ...params }), RAW)
}

function accept(request: Request, service: Service, id: string): Promise<Response | Problem> {
  return callAuth(request, service, '/organization/accept-invitation', { invitationId: id })
}

/** Leads to the bundles of the organisation, which the session now acts for. */
function joined(...answers: readonly Response[]): Response {
  const answer = seeOther(withFlash('/dashboard', 'joined'))
  for (const cookie of answers.flatMap(({ headers }) => headers.getSetCookie()))
    answer.headers.append('set-cookie', cookie)
  return answer
}

/** The page for somebody who is signed in. */
async function ownPage(request: Request, service: Service, id: string, problem?: Problem): Promise<Page> {
  const path = `/invitations/${encodeURIComponent(id)}`
  const site = await siteFor(request, service)
  const session = await service.readSession(request.headers)
  if (session?.emailVerified === false) return page(<ConfirmFirstPage site={site} path={path} />, 403)
  const invitation = await invitationOf(service.store, id)
  if (invitation === null || invitation.isAccepted || !isTheirs(session, invitation))
    return gonePage(request, service, { id, path }, session)
  const view = (
    <InvitationPage site={site} invitation={invitation} path={path} error={problem && explain(problem).form} />
  )
  return problem === undefined ? page(view) : refused(view, problem)
}

async function gonePage(
  request: Request,
  service: Service,
  { id, path }: { id: string; path: string },
  session: Session | null,
): Promise<Page> {
  const organization = session === null ? null : await joinedBy(service.store, session, id)
  const view = <InvitationGonePage site={await siteFor(request, service)} path={path} joined={organization} />
  return page(view, organization === null ? 404 : 200)
}

/** A request for the page of a mailed link. */
interface Mailed {
  request: Request
  service: Service
  id: string
  secret: string
}

/** What a form of the page was sent with, and why it was refused. */
interface Sent {
  name: string
  problem: Problem
}

/** The invitation of a mailed link; null if the link does not work. */
async function mailedInvitation({ service, id, secret }: Mailed): Promise<Invitation | null> {
  const invitation = await invitationOf(service.store, id)
  return invitation !== null && isMailedSecret(secret, invitation, service.config) ? invitation : null
}

async function mailedPage(mailed: Mailed, sent?: Sent): Promise<Page> {
  const { request, service, id, secret } = mailed
  const path = `/invitations/${encodeURIComponent(id)}/${encodeURIComponent(secret)}`
  const invitation = await mailedInvitation(mailed)
  const session = await service.readSession(request.headers)
  const site = await siteFor(request, service)
  if (invitation === null || (invitation.isAccepted && isTheirs(session, invitation)))
    return gonePage(request, service, { id, path }, session)
  if (invitation.isAccepted) return page(<InvitationUsedPage site={site} invitation={invitation} />)
  const current = otherAddress(session, invitation)
  const errors = sent === undefined ? {} : explain(sent.problem)
  const view = isTheirs(session, invitation) ? (
    <InvitationPage site={site} invitation={invitation} path={path} error={errors.form} />
  ) : (
    <JoinPage
      site={site}
      methods={signInMethods(service.config)}
      invitation={invitation}
      path={path}
      current={current}
      name={sent?.name ?? ''}
      errors={errors}
    />
  )
  return sent === undefined ? page(view) : refused(view, sent.problem)
}

/** Whether a browser is signed in to the account that has the invited address. */
function isTheirs(session: Session | null, { account }: Invitation): session is Session {
  return session !== null && session.userId === account?.id
}

/** The address of another person that a browser is signed in as. An account that signed up with a taken address is none. */
function otherAddress(session: Session | null, { email }: Invitation): string | null {
  return session === null || session.email === email ? null : session.email
}

async function join(mailed: Mailed): Promise<Page | Response> {
  const { request, service, id } = mailed
  refuseOtherSites(request, service.config)
  const form = await readForm(request)
  const invitation = await mailedInvitation(mailed)
  if (invitation === null || invitation.isAccepted) return mailedPage(mailed)
  const session = await service.readSession(request.headers)
  // The page may have been opened before somebody else signed in.
  if (otherAddress(session, invitation) !== null && form.get('as') !== 'other') return mailedPage(mailed)
  const isIn = isTheirs(session, invitation)
  const name = form.get('name')?.trim() ?? ''
  const password = form.get('password') ?? ''
  const signedIn = await orRefusal(() =>
    isIn ? confirmed(mailed, session) : enter(mailed, invitation, { name, password }),
  )
  if (signedIn instanceof Problem) return mailedPage(mailed, { name, problem: signedIn })
  const next = isIn ? request : requestAfter(request, signedIn)
  const answer = await accept(next, service, id)
  if (answer instanceof Response) return joined(signedIn, answer)
  const { view, status, headers } = await mailedPage({ ...mailed, request: next }, { name, problem: answer })
  return page(view, status, headers, signedIn)
}

/** Confirms the address of whoever is signed in with it: they have its mail. */
async function confirmed({ request, service }: Mailed, { userId, email, emailVerified }: Session): Promise<Response> {
  if (emailVerified) return new Response()
  const { proofs } = await service.accounts()
  await proofs.prove({ userId, heldBy: userId })
  const device = withDevice(request.headers, email, true, service.config)
  return new Response(null, { headers: { 'set-cookie': cookieLine(device) } })
}

/** Signs in to the account of the invited address, or makes it. */
async function enter(
  { request, service }: Mailed,
  { email, account }: Invitation,
  { name, password }: { name: string; password: string },
): Promise<Response | Problem> {
  // An account that nobody has confirmed is made anew: whoever signed up with the address need not have its mailbox.
  if (account === null || !account.isVerified) {
    const chosen = service.config.passwordSignIn ? password : null
    return signInByMailbox(request, service, { email, name, password: chosen })
  }
  const answer = await callAuth(request, service, '/sign-in/email', { email, password })
  if (answer instanceof Problem || !(await endIfOther(answer, account.id, service))) return answer
  return new Problem('INVALID_EMAIL_OR_PASSWORD', 'Invalid email or password')
}
