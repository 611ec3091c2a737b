/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { ConfirmFirstPage, type Invitation, InvitationPage } from '../../views/account/invitation.tsx'
import { MailboxPage } from '../../views/account/mailbox.tsx'
import { type AccountForm, LinkSentPage, OnwardPage, SignInPage } from '../../views/account/sign-in.tsx'
import { ConfirmPage, SignUpPage } from '../../views/account/sign-up.tsx'
import type { Site } from '../../views/parts/layout.tsx'
import { Problem } from '../core/problem.ts'
import { readForm } from '../http/body.ts'
import { clientAddress, isForwarded } from '../http/client.ts'
import { page, seeOther } from '../http/respond.ts'
import { localPath } from '../identity/links.ts'
import type { Service } from '../service.ts'
import { call, explain, refused, withCookies } from './account-forms.ts'
import { siteFor } from './site.ts'

const RAW = { parse: 'none' } as const

/** The pages of accounts: plain forms over better-auth's routes. */
export function accountPages(service: Service) {
  const { config, mailer, readSession } = service
  const site: Site = { name: config.name, origin: config.origin }
  const hasOidc = config.oidc !== null
  const signIn = (request: Request, form: AccountForm) =>
    page(request, <SignInPage site={site} form={form} hasOidc={hasOidc} />)
  const signUp = (request: Request, form: AccountForm) =>
    page(request, <SignUpPage site={site} form={form} hasOidc={hasOidc} />)
  const signInAgain = async (request: Request, form: AccountForm, answer: Response) =>
    refused(request, <SignInPage site={site} form={await explained(form, answer)} hasOidc={hasOidc} />, answer)

  return new Elysia()
    .get('/sign-in', ({ request }) => {
      const { searchParams } = new URL(request.url)
      const error = searchParams.get('error')
      const errors = error === null ? {} : { form: CAME_BACK[error.toLowerCase()] ?? NOT_LET_IN }
      const form = { ...emptyForm(searchParams.get('next')), errors }
      return signIn(request, form)
    })
    .get('/sign-up', ({ request }) => signUp(request, emptyForm(new URL(request.url).searchParams.get('next'))))
    .post(
      '/sign-in',
      async ({ request }) => {
        const { form, password } = await readAccountForm(request)
        const answer = await call(request, service, '/sign-in/email', { email: form.email, password })
        if (answer.ok) return seeOther(form.next, answer)
        return signInAgain(request, form, answer)
      },
      RAW,
    )
    .post(
      '/sign-in/link',
      async ({ request }) => {
        const { form } = await readAccountForm(request)
        const { email, next } = form
        const errorCallbackURL = `/sign-in?next=${encodeURIComponent(next)}`
        const answer = await call(request, service, '/sign-in/magic-link', {
          email,
          callbackURL: next,
          errorCallbackURL,
        })
        if (answer.ok) return page(request, <LinkSentPage site={site} email={email} next={next} />)
        return signInAgain(request, form, answer)
      },
      RAW,
    )
    .post(
      '/sign-in/oidc',
      async ({ request }) => {
        const { form } = await readAccountForm(request)
        const errorCallbackURL = `/sign-in?next=${encodeURIComponent(form.next)}`
        const words = { provider: 'oidc', callbackURL: form.next, errorCallbackURL }
        const answer = await call(request, service, '/sign-in/social', words)
        if (!answer.ok) return signInAgain(request, form, answer)
        const { url } = (await answer.json()) as { url: string }
        // `form-action` holds for redirects too, and a provider may send people on to others that nobody can name
        // here: so not a redirect, but a page that goes on by itself.
        return withCookies(
          page(request, <OnwardPage site={site} url={url} />, 200, { refresh: `0;url=${url}` }),
          answer,
        )
      },
      RAW,
    )
    .post(
      '/sign-up',
      async ({ request }) => {
        const { form, password } = await readAccountForm(request)
        const { email, name, next } = form
        const answer = await call(request, service, '/sign-up/email', { email, name, password, callbackURL: next })
        if (!answer.ok) {
          const view = <SignUpPage site={site} form={await explained(form, answer)} hasOidc={hasOidc} />
          return refused(request, view, answer)
        }
        if (config.requireVerifiedEmail) return page(request, <ConfirmPage site={site} email={email} />)
        return seeOther(next, answer)
      },
      RAW,
    )
    .post('/sign-out', async ({ request }) => seeOther('/', await call(request, service, '/sign-out', {})), RAW)
    .get('/invitations/:id', async ({ request, params: { id } }) => {
      if ((await readSession(request.headers)) === null)
        return seeOther(`/sign-in?next=/invitations/${encodeURIComponent(id)}`)
      return invitationPage(request, service, id)
    })
    .post(
      '/invitations/:id',
      async ({ request, params: { id } }) => {
        const answer = await call(request, service, '/organization/accept-invitation', { invitationId: id })
        if (answer.ok) return seeOther('/dashboard', answer)
        return invitationPage(request, service, id, (await explain(answer)).form)
      },
      RAW,
    )
    .get('/dev/mailbox', ({ request }) => {
      // It shows other people's sign-in links: for the machine's own developer and nobody else.
      const isHere = /^(127\.|::1$)/.test(clientAddress(request)) && !isForwarded(request)
      if (!config.isDevelopment || config.smtpUrl !== undefined || !isHere) throw nothing()
      return page(request, <MailboxPage site={site} mails={mailer.mailbox} />)
    })
}

/** What the ways in that leave this site report when they come back without anybody. */
const CAME_BACK: Record<string, string> = {
  invalid_token: 'That link has been used or is too old. Ask for a new one.',
  account_not_linked: 'There is an account with your address already. Have a link mailed, and sign in by that.',
  unable_to_create_session: 'Confirm your address first: we have mailed you a link.',
}
const NOT_LET_IN = 'That did not sign you in. Try again, or another way.'

function nothing(): Problem {
  return new Problem('NOT_FOUND', 'There is nothing at this address.')
}

async function explained(form: AccountForm, answer: Response): Promise<AccountForm> {
  return { ...form, errors: await explain(answer) }
}

async function invitationPage(request: Request, service: Service, id: string, error?: string): Promise<Response> {
  const path = `/invitations/${encodeURIComponent(id)}`
  const get = new Request(request.url, { headers: request.headers })
  const answer = await call(get, service, `/organization/get-invitation?id=${encodeURIComponent(id)}`, undefined)
  if (!answer.ok) {
    const { code, error } = (await answer.json()) as { code: string; error: string }
    const site = await siteFor(request, service)
    if (code === 'EMAIL_UNVERIFIED')
      return page(request, <ConfirmFirstPage site={site} path={path} says={error} />, 403)
    throw new Problem(
      'NOT_FOUND',
      'This invitation is not for the address you are signed in with, or it is no longer open.',
    )
  }
  const invitation = (await answer.json()) as Invitation
  const view = (
    <InvitationPage site={await siteFor(request, service)} invitation={invitation} path={path} error={error} />
  )
  return page(request, view, error === undefined ? 200 : 400)
}

async function readAccountForm(request: Request): Promise<{ form: AccountForm; password: string }> {
  const fields = await readForm(request)
  const form = {
    ...emptyForm(fields.get('next')),
    email: fields.get('email')?.trim() ?? '',
    name: fields.get('name')?.trim() ?? '',
  }
  return { form, password: fields.get('password') ?? '' }
}

function emptyForm(next: string | null): AccountForm {
  return { email: '', name: '', next: localPath(next), errors: {} }
}
