/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { type Invitation, invitationOf, isMailedSecret, joinedBy } from '../../../src/accounts/organizations.ts'
import { signInByMailbox } from '../../../src/api/auth-mailbox.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { RAW, readForm } from '../../../src/http/body.ts'
import { refuseOtherSites } from '../../../src/http/request.ts'
import { type Page, page, seeOther } from '../../../src/http/respond.ts'
import type { Session } from '../../../src/identity/caller.ts'
import { withDevice } from '../../../src/identity/devices.ts'
import { cookieLine } from '../../../src/identity/sessions.ts'
import { withFlash } from '../../parts/messages.ts'
import { signInMethods, siteFor } from '../../parts/visitor.ts'
import { callAuth, endIfOther, explain, orRefusal, refused, requestAfter } from '../parts/account-forms.ts'
import { JoinPage } from './join.tsx'
import { ConfirmFirstPage, InvitationGonePage, InvitationPage, InvitationUsedPage } from './view.tsx'

/**
 * Invitations: by the mailed link, whose secret proves the address, or without it for visitors who are signed in with the
 * address.
 */
export function invitationPages(service: Service) {
  return new Elysia()
    .get(routes.account.invitation.path, async ({ request, params: { id } }) => {
      if ((await service.readSession(request.headers)) === null)
        return seeOther(`${routes.account.signIn.href()}?next=/invitations/${encodeURIComponent(id)}`)
      return ownPage(request, service, id)
    })
    .post(
      routes.account.invitation.path,
      async ({ request, params: { id } }) => {
        const answer = await accept(request, service, id)
        return answer instanceof Problem ? ownPage(request, service, id, answer) : joined(answer)
      },
      RAW,
    )
    .get(routes.account.join.path, ({ request, params }) => mailedPage({ request, service, ...params }))
    .post(routes.account.join.path, ({ request, params }) => join({ request, service, ...params }), RAW)
}

function accept(request: Request, service: Service, id: string): Promise<Response | Problem> {
  return callAuth(request, service, '/organization/accept-invitation', { invitationId: id })
}

/** Redirects to the bundles of the organisation, for which the session now acts. */
function joined(...answers: readonly Response[]): Response {
  const answer = seeOther(withFlash(routes.bundles.list.href(), 'joined'))
  for (const cookie of answers.flatMap(({ headers }) => headers.getSetCookie()))
    answer.headers.append('set-cookie', cookie)
  return answer
}

/** The invitation page for a signed-in visitor. */
async function ownPage(request: Request, service: Service, id: string, problem?: Problem): Promise<Page> {
  const path = routes.account.invitation.href({ id })
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

/** The submitted form, and why it was refused. */
interface Sent {
  name: string
  problem: Problem
}

/** The invitation of a mailed link; null if the link is invalid. */
async function mailedInvitation({ service, id, secret }: Mailed): Promise<Invitation | null> {
  const invitation = await invitationOf(service.store, id)
  return invitation !== null && isMailedSecret(secret, invitation, service.config) ? invitation : null
}

async function mailedPage(mailed: Mailed, sent?: Sent): Promise<Page> {
  const { request, service, id, secret } = mailed
  const path = routes.account.join.href({ id, secret })
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

/** Whether the session belongs to the account with the invited address. */
function isTheirs(session: Session | null, { account }: Invitation): session is Session {
  return session !== null && session.userId === account?.id
}

/** The address of another person in this browser's session. An account that signed up with the taken address does not count. */
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
  // Somebody else may have signed in since the page was opened.
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

/** Confirms the address of the visitor who is signed in with it: the mailed secret proves that they receive its mail. */
async function confirmed({ request, service }: Mailed, { userId, email, emailVerified }: Session): Promise<Response> {
  if (emailVerified) return new Response()
  const { proofs } = await service.accounts()
  await proofs.prove({ userId, heldBy: userId })
  const device = withDevice(request.headers, email, true, service.config)
  return new Response(null, { headers: { 'set-cookie': cookieLine(device) } })
}

/** Signs in to the account with the invited address, or creates it. */
async function enter(
  { request, service }: Mailed,
  { email, account }: Invitation,
  { name, password }: { name: string; password: string },
): Promise<Response | Problem> {
  // An unconfirmed account is created anew: whoever signed up with the address may not own its mailbox.
  if (account === null || !account.isVerified) {
    const chosen = service.config.passwordSignIn ? password : null
    return signInByMailbox(request, service, { email, name, password: chosen })
  }
  const answer = await callAuth(request, service, '/sign-in/email', { email, password })
  if (answer instanceof Problem || !(await endIfOther(answer, account.id, service))) return answer
  return new Problem('INVALID_EMAIL_OR_PASSWORD', 'Invalid email or password')
}
