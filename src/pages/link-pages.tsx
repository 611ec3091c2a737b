/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { LinkExpiredPage } from '../../views/account/expired-link.tsx'
import { AddressConfirmedPage, ConfirmAddressPage, SignInLinkPage } from '../../views/account/mailed-links.tsx'
import { NewPasswordPage, PasswordSetPage } from '../../views/account/password.tsx'
import { signInByLink } from '../api/auth.ts'
import { findByToken } from '../bundles/claims.ts'
import { readForm } from '../http/body.ts'
import { refuseOtherSites } from '../http/client.ts'
import { page, seeOther } from '../http/respond.ts'
import { passwordsOff } from '../identity/admission.ts'
import { cookieLine, rememberedBy } from '../identity/devices.ts'
import { confirmationFor, localPath, magicLinkEmail, passwordLinkEmail } from '../identity/links.ts'
import { endSession } from '../identity/sessions.ts'
import type { Service } from '../service.ts'
import { call, explain, refused, withCookies } from './account-forms.ts'
import { siteFor } from './site.ts'

const RAW = { parse: 'none' } as const
/** The status of a link that works no longer, or never did: nobody is told which. */
const GONE = 410

/** The pages behind mailed links: a GET shows what will happen, and to which account; a POST does it (decisions 13). */
export function linkPages(service: Service) {
  return new Elysia()
    .get('/sign-in/link/:token', ({ request, params: { token } }) => signInLinkPage(request, service, token))
    .post(
      '/sign-in/link/:token',
      async ({ request, params: { token } }) => {
        const next = localPath((await readForm(request)).get('next'))
        const answer = await signInByLink(request, service, token)
        if (answer !== null) return seeOther(next, answer)
        return page(request, <LinkExpiredPage site={await siteFor(request, service)} link="signIn" next={next} />, GONE)
      },
      RAW,
    )
    .get('/confirm/:token', async ({ request, params: { token } }) => {
      const account = await confirmationFor(await service.auth(), token)
      return confirmPage(request, service, account, nextOf(request))
    })
    .post('/confirm/:token', ({ request, params: { token } }) => confirm(request, service, token), RAW)
    .get('/password/:token', async ({ request, params: { token } }) => {
      if (!service.config.passwordSignIn) throw passwordsOff()
      const email = await passwordLinkEmail(await service.auth(), token)
      const site = await siteFor(request, service)
      if (email === null)
        return page(request, <LinkExpiredPage site={site} link="password" next="/dashboard/settings" />, GONE)
      return page(request, <NewPasswordPage site={site} email={email} error={undefined} />)
    })
    .post(
      '/password/:token',
      async ({ request, params: { token } }) => {
        const newPassword = (await readForm(request)).get('password') ?? ''
        const email = await passwordLinkEmail(await service.auth(), token)
        const answer = await call(request, service, '/reset-password', { newPassword, token })
        const site = await siteFor(request, service)
        if (answer.ok) return page(request, <PasswordSetPage site={site} />)
        if (email === null)
          return page(
            request,
            <LinkExpiredPage site={site} link="password" next="/dashboard/settings" />,
            answer.status,
          )
        const { password, form } = await explain(answer)
        return refused(request, <NewPasswordPage site={site} email={email} error={password ?? form} />, answer)
      },
      RAW,
    )
}

function nextOf(request: Request): string {
  return localPath(new URL(request.url).searchParams.get('next'))
}

async function signInLinkPage(request: Request, service: Service, token: string): Promise<Response> {
  const next = nextOf(request)
  const site = await siteFor(request, service)
  const email = await magicLinkEmail(await service.auth(), token)
  if (email === null) return page(request, <LinkExpiredPage site={site} link="signIn" next={next} />, GONE)
  const session = await service.readSession(request.headers)
  return page(request, <SignInLinkPage site={site} email={email} current={session?.email ?? null} next={next} />)
}

type Account = Awaited<ReturnType<typeof confirmationFor>>

async function confirmPage(
  request: Request,
  service: Service,
  account: Account,
  next: string,
  refusal?: { error: string; answer: Response },
): Promise<Response> {
  const site = await siteFor(request, service)
  if (account === null) return page(request, <LinkExpiredPage site={site} link="confirm" next={next} />, GONE)
  const { id, email, isProven } = account
  if (isProven) {
    const onward = await stillThere(service, next)
    return page(request, <AddressConfirmedPage site={site} email={email} next={onward} />)
  }
  const session = await service.readSession(request.headers)
  const isHolder = session?.userId === id
  const view = (
    <ConfirmAddressPage
      site={site}
      email={email}
      isHolder={isHolder}
      current={isHolder ? null : (session?.email ?? null)}
      hasPasswords={service.config.passwordSignIn}
      next={next}
      error={refusal?.error}
    />
  )
  return refusal === undefined ? page(request, view) : refused(request, view, refusal.answer)
}

/** Where to go on from a confirmed address: not to a claim link that was used while its mail was on the way. */
async function stillThere({ store }: Service, next: string): Promise<string> {
  const [, token] = /^\/claim\/([\w-]+)$/.exec(next) ?? []
  return token === undefined || (await findByToken(store, token)) !== null ? next : '/dashboard'
}

/**
 * Confirms an address for who is signed in to its account, or knows its password: the mail alone is no proof that its reader
 * made the account.
 */
async function confirm(request: Request, service: Service, token: string): Promise<Response> {
  refuseOtherSites(request, service.config)
  const form = await readForm(request)
  const next = localPath(form.get('next'))
  const account = await confirmationFor(await service.auth(), token)
  if (account === null || account.isProven) return confirmPage(request, service, account, next)
  const { id, email } = account
  // The same page tells that it is done, by now for whoever is signed in.
  const done = () => seeOther(`/confirm/${encodeURIComponent(token)}?${new URLSearchParams({ next })}`)
  const { proofs } = await service.accounts()
  const prove = () => proofs.prove({ userId: id, heldBy: id })
  if ((await service.readSession(request.headers))?.userId === id) {
    await prove()
    const answer = done()
    // From now on it is surely its owner's browser.
    answer.headers.append('set-cookie', cookieLine(rememberedBy(request.headers, email, true, service.config)))
    return answer
  }
  const words = { email, password: form.get('password') ?? '' }
  const signIn = () => call(request, service, '/sign-in/email', words)
  const answer = await signIn()
  const { user, token: session, code } = await answer.clone().json()
  const isRight = answer.ok ? user.id === id : code === 'EMAIL_NOT_VERIFIED'
  if (!isRight) {
    if (answer.ok) await endSession(service.store, session)
    const error = answer.ok ? 'That’s not the password of this account.' : (await explain(answer)).form
    const refusal = answer.ok ? new Response(null, { status: 401 }) : answer
    return confirmPage(request, service, account, next, { error: error ?? '', answer: refusal })
  }
  await prove()
  return withCookies(done(), answer.ok ? answer : await signIn())
}
