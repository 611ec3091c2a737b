/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { confirmationFor, localPath, magicLinkEmail, passwordLinkEmail } from '../../../src/accounts/mailed-links.ts'
import { passwordsOff } from '../../../src/accounts/sign-up-policy.ts'
import { signInByLink } from '../../../src/api/auth.ts'
import { findByToken } from '../../../src/bundles/claims/claims.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { RAW, readForm } from '../../../src/http/body.ts'
import { type Page, page, seeOther } from '../../../src/http/respond.ts'
import { withDevice } from '../../../src/identity/devices.ts'
import { isPasswordOf } from '../../../src/identity/passwords.ts'
import { cookieLine } from '../../../src/identity/sessions.ts'
import { siteFor } from '../../parts/visitor.ts'
import { callAuth, endIfOther, explain, refused } from '../parts/account-forms.ts'
import {
  AddressConfirmedPage,
  ConfirmAddressPage,
  LinkExpiredPage,
  NewPasswordPage,
  PasswordSetPage,
  SignInLinkPage,
} from './view.tsx'

/** The status of an expired or unknown link; one status for both reveals nothing. */
const GONE = 410

/** The pages of mailed links: a GET describes the action and its account; a POST performs it. */
export function linkPages(service: Service) {
  return new Elysia()
    .get(routes.account.mailedLink.path, ({ request, params: { token } }) => signInLinkPage(request, service, token))
    .post(
      routes.account.mailedLink.path,
      async ({ request, params: { token } }) => {
        const next = localPath((await readForm(request)).get('next'))
        const answer = await signInByLink(request, service, token)
        if (answer !== null) return seeOther(next, answer)
        return page(<LinkExpiredPage site={await siteFor(request, service)} link="signIn" next={next} />, GONE)
      },
      RAW,
    )
    .get(routes.account.confirm.path, async ({ request, params: { token } }) => {
      const account = await confirmationFor(await service.auth(), token)
      return confirmPage(request, service, account, nextOf(request))
    })
    .post(routes.account.confirm.path, ({ request, params: { token } }) => confirm(request, service, token), RAW)
    .get(routes.account.password.path, async ({ request, params: { token } }) => {
      if (!service.config.passwordSignIn) throw passwordsOff()
      const email = await passwordLinkEmail(await service.auth(), token)
      const site = await siteFor(request, service)
      if (email === null)
        return page(<LinkExpiredPage site={site} link="password" next={routes.settings.page.href()} />, GONE)
      return page(<NewPasswordPage site={site} email={email} error={undefined} />)
    })
    .post(
      routes.account.password.path,
      async ({ request, params: { token } }) => {
        const newPassword = (await readForm(request)).get('password') ?? ''
        const email = await passwordLinkEmail(await service.auth(), token)
        const answer = await callAuth(request, service, '/reset-password', { newPassword, token })
        const site = await siteFor(request, service)
        if (answer instanceof Response) return page(<PasswordSetPage site={site} />)
        if (email === null)
          return page(<LinkExpiredPage site={site} link="password" next={routes.settings.page.href()} />, answer.status)
        const { password, form } = explain(answer)
        return refused(<NewPasswordPage site={site} email={email} error={password ?? form} />, answer)
      },
      RAW,
    )
}

function nextOf(request: Request): string {
  return localPath(new URL(request.url).searchParams.get('next'))
}

async function signInLinkPage(request: Request, service: Service, token: string): Promise<Page> {
  const next = nextOf(request)
  const site = await siteFor(request, service)
  const email = await magicLinkEmail(await service.auth(), token)
  if (email === null) return page(<LinkExpiredPage site={site} link="signIn" next={next} />, GONE)
  const session = await service.readSession(request.headers)
  return page(<SignInLinkPage site={site} email={email} current={session?.email ?? null} next={next} />)
}

type Account = Awaited<ReturnType<typeof confirmationFor>>

async function confirmPage(
  request: Request,
  service: Service,
  account: Account,
  next: string,
  problem?: Problem,
): Promise<Page> {
  const site = await siteFor(request, service)
  if (account === null) return page(<LinkExpiredPage site={site} link="confirm" next={next} />, GONE)
  const { id, email, isProven } = account
  if (isProven) {
    const usable = await unlessClaimed(service, next)
    return page(<AddressConfirmedPage site={site} email={email} next={usable} />)
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
      error={problem && explain(problem).form}
    />
  )
  return problem === undefined ? page(view) : refused(view, problem)
}

/** The destination after confirmation: the dashboard if `next` is a claim link that has been used meanwhile. */
async function unlessClaimed({ store }: Service, next: string): Promise<string> {
  const [, token] = /^\/claim\/([\w-]+)$/.exec(next) ?? []
  return token === undefined || (await findByToken(store, token)) !== null ? next : routes.bundles.list.href()
}

/**
 * Confirms an address for a visitor who is signed in to its account or knows its password: the mail alone does not prove that its
 * reader created the account.
 */
async function confirm(request: Request, service: Service, token: string): Promise<Page | Response> {
  const form = await readForm(request)
  const next = localPath(form.get('next'))
  const account = await confirmationFor(await service.auth(), token)
  if (account === null || account.isProven) return confirmPage(request, service, account, next)
  const { id, email } = account
  // The page of a used link confirms that it worked.
  const done = (from?: Response) =>
    seeOther(`${routes.account.confirm.href({ token })}?${new URLSearchParams({ next })}`, from)
  const { proofs } = await service.accounts()
  const prove = () => proofs.prove({ userId: id, heldBy: id })
  if ((await service.readSession(request.headers))?.userId === id) {
    await prove()
    const answer = done()
    // The browser now certainly belongs to the owner.
    answer.headers.append('set-cookie', cookieLine(withDevice(request.headers, email, true, service.config)))
    return answer
  }
  const credentials = { email, password: form.get('password') ?? '' }
  const signIn = () => callAuth(request, service, '/sign-in/email', credentials)
  const answer = await signIn()
  if (answer instanceof Problem && answer.code !== 'EMAIL_NOT_VERIFIED') {
    return confirmPage(request, service, account, next, answer)
  }
  const isOfOther =
    answer instanceof Problem ? !(await isPasswordOf(service, credentials)) : await endIfOther(answer, id, service)
  if (isOfOther) {
    const problem = new Problem('UNAUTHORIZED', 'That’s not the password of this account.')
    return confirmPage(request, service, account, next, problem)
  }
  await prove()
  const signedIn = answer instanceof Response ? answer : await signIn()
  return done(signedIn instanceof Response ? signedIn : undefined)
}
