/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { accountDisabled } from '../../../src/accounts/disabling.ts'
import { localPath } from '../../../src/accounts/mailed-links.ts'
import { findByToken } from '../../../src/bundles/claims/claims.ts'
import { Problem, unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { entryOf } from '../../../src/core/untyped.ts'
import { RAW, readForm } from '../../../src/http/body.ts'
import { clientAddress, isForwarded } from '../../../src/http/request.ts'
import { page, seeOther } from '../../../src/http/respond.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import type { Site } from '../../parts/layout.tsx'
import { withFlash } from '../../parts/messages.ts'
import { plainSite, signInMethods, siteFor } from '../../parts/visitor.ts'
import { callAuth, claimTokenIn, EMAIL_NOT_CONFIRMED, explain, leadOn, refused } from '../parts/account-forms.ts'
import { type AccountForm, LinkSentPage, RedirectPage, SignedInPage, SignInPage } from '../parts/sign-in.tsx'
import { ConfirmPage, MailboxPage, SignUpPage } from './view.tsx'

/** Account pages: plain forms for better-auth's routes. */
export function accountPages(service: Service) {
  const { config, mailer, readSession } = service
  const site: Site = { ...plainSite(config), user: null }
  const methods = signInMethods(config)
  const common = async ({ next }: AccountForm) => ({ site, methods, keeps: await keptBy(next, service) })
  const signInRefused = async (form: AccountForm, problem: Problem) =>
    refused(<SignInPage {...(await common(form))} form={explained(form, problem)} />, problem)

  const mailLink = async (request: Request, form: AccountForm) => {
    const { email, next } = form
    const answer = await callAuth(request, service, '/sign-in/magic-link', { email, ...onward(next) })
    if (answer instanceof Problem) return signInRefused(form, answer)
    return page(<LinkSentPage site={site} methods={methods} email={email} next={next} />)
  }

  return new Elysia()
    .get(routes.account.signIn.path, async ({ request }) => {
      const { searchParams } = new URL(request.url)
      const error = searchParams.get('error')
      const form = emptyForm(searchParams.get('next'))
      const as = searchParams.get('as')
      const session = as === 'other' ? null : await readSession(request.headers)
      if (session !== null && as !== 'again' && error === null)
        return page(<SignedInPage site={site} email={session.email} next={form.next} />)
      const errors = error === null ? {} : { form: entryOf(CALLBACK_ERRORS, error.toLowerCase()) ?? SIGN_IN_FAILED }
      const filled = { ...form, email: session?.email ?? '', errors }
      return page(<SignInPage {...(await common(form))} form={filled} isAgain={session !== null} />)
    })
    .get(routes.account.signUp.path, async ({ request }) => {
      const form = emptyForm(new URL(request.url).searchParams.get('next'))
      const session = await readSession(request.headers)
      if (session !== null) return page(<SignedInPage site={site} email={session.email} next={form.next} />)
      return methods.hasSignUpPage
        ? page(<SignUpPage {...(await common(form))} form={form} />)
        : seeOther(`${routes.account.signIn.href()}?next=${encodeURIComponent(form.next)}`)
    })
    .get('/login', ({ request }) => seeOther(`${routes.account.signIn.href()}${new URL(request.url).search}`))
    .get('/signup', ({ request }) => seeOther(`${routes.account.signUp.href()}${new URL(request.url).search}`))
    .post(
      routes.account.signIn.path,
      async ({ request }) => {
        const { form, password } = await readAccountForm(request)
        // Enter was pressed on a page with both methods.
        if (password === '' && new URL(request.url).searchParams.get('or') === 'link') return mailLink(request, form)
        const answer = await callAuth(request, service, '/sign-in/email', { email: form.email, password })
        if (answer instanceof Response) return leadOn(request, service, form.next, answer)
        return signInRefused(form, answer)
      },
      RAW,
    )
    .post(
      routes.account.mailLink.path,
      async ({ request }) => mailLink(request, (await readAccountForm(request)).form),
      RAW,
    )
    .post(
      routes.account.oidc.path,
      async ({ request }) => {
        const { form } = await readAccountForm(request)
        const { next } = form
        const kept = [next, next.split('?', 1)[0] ?? '', '/'].map(onward).find(isKept)
        const body = { provider: 'oidc', ...kept }
        const answer = await callAuth(request, service, '/sign-in/social', body)
        if (answer instanceof Problem) return signInRefused(form, answer)
        const { url } = (await answer.json()) as { url: string }
        // A page that refreshes instead of a redirect: `form-action` also applies to redirects, and the provider may redirect to
        // unknown origins.
        return page(<RedirectPage site={site} url={url} />, 200, { refresh: `0;url=${url}` }, answer)
      },
      RAW,
    )
    .post(
      routes.account.signUp.path,
      async ({ request }) => {
        const { form, password } = await readAccountForm(request)
        const { email, name, next } = form
        const answer = await callAuth(request, service, '/sign-up/email', {
          email,
          name,
          password,
          callbackURL: onward(next).callbackURL,
        })
        if (answer instanceof Problem) {
          const view = <SignUpPage {...(await common(form))} form={explained(form, answer)} />
          return refused(view, answer)
        }
        if (config.requireVerifiedEmail) return page(<ConfirmPage site={site} email={email} />)
        return leadOn(
          request,
          service,
          next.startsWith(routes.bundles.list.href()) ? withFlash(next, 'signedUp') : next,
          answer,
        )
      },
      RAW,
    )
    .post(
      routes.account.signOut.path,
      async ({ request }) => {
        const answer = await callAuth(request, service, routes.account.signOut.href(), {})
        return answer instanceof Response ? seeOther('/', answer) : seeOther('/')
      },
      RAW,
    )
    .get('/dev/mailbox', async ({ request }) => {
      // It shows sign-in links, so only the developer on this machine may see it.
      const isHere = /^(127\.|::1$)/.test(clientAddress(request)) && !isForwarded(request)
      if (!config.isDevelopment || config.smtpUrl !== undefined || !isHere) throw unknownUrl()
      return page(<MailboxPage site={await siteFor(request, service)} mails={mailer.mailbox} />)
    })
}

/** The name of the bundle whose claim link is the destination; null for another destination, or a link that is gone. */
async function keptBy(next: string, { store, launchers }: Service): Promise<string | null> {
  const token = claimTokenIn(next)
  const bundle = token === null ? null : await findByToken(store, token)
  if (bundle === null) return null
  try {
    await launchers.refuseTakenDown(bundle.slug)
  } catch (error) {
    if (error instanceof Problem && error.code === 'BLOCKED') return null
    throw error
  }
  return headingOf(bundle)
}

/** Messages for the `error` parameter in redirects from a failed sign-in link or provider. */
const CALLBACK_ERRORS: Record<string, string> = {
  invalid_token: 'That link has expired. Ask for a new one below.',
  account_not_linked: 'You already have an account with this address. Email yourself a sign-in link to get in.',
  sign_up_closed: 'You don’t have an account here, and sign-ups are closed. Ask your administrator for one.',
  invitation_required: 'You need an invitation to create an account here. Ask for one at the address you just used.',
  account_disabled: accountDisabled().userMessage,
  unable_to_create_session: EMAIL_NOT_CONFIRMED,
}
const SIGN_IN_FAILED = 'We couldn’t sign you in. Try again, or use another way.'

function explained(form: AccountForm, problem: Problem): AccountForm {
  return { ...form, errors: explain(problem) }
}

interface Onward {
  callbackURL: string
  errorCallbackURL: string
}

/** The destination in a form that better-auth accepts: it refuses paths with an encoded slash. */
function onward(next: string): Onward {
  const again = `${routes.account.signIn.href()}?next=${encodeURIComponent(next)}`
  return { callbackURL: /^[^?#]*%(?:2f|5c)/i.test(next) ? again : next, errorCallbackURL: again }
}

/** In a cookie of 4096 bytes, this takes twice its length, besides 700 bytes from better-auth. */
const MAX_KEPT = 1600

/** Whether the destination fits into the cookie that keeps it during a visit to the provider. */
function isKept({ callbackURL, errorCallbackURL }: Onward): boolean {
  return callbackURL.length + errorCallbackURL.length <= MAX_KEPT
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
