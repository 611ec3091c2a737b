/** @jsxImportSource @kitajs/html */

import type { Config } from '../../src/config/config.ts'
import { PasswordField } from '../parts/account-fields.tsx'
import { EmailField } from '../parts/email-field.tsx'
import { Alert } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

/** A submitted form of these pages, with its errors. */
export interface AccountForm {
  email: string
  name: string
  /** Where to go afterwards: a path of this service. */
  next: string
  errors: { name?: string; email?: string; password?: string; form?: string }
}

/** Props of the sign-in and sign-up pages. */
export interface AccountProps {
  site: Site
  form: AccountForm
  methods: SignInMethods
}

/** The sign-in methods that the operator has enabled. */
export interface SignInMethods {
  /** Whether an OIDC provider is configured. */
  hasOidc: boolean
  hasPasswords: boolean
  /** Who may create an account. */
  signUp: Config['signUp']
  /** Whether there is a sign-up page; otherwise signing in creates the account. */
  hasSignUpPage: boolean
}

/** Sign in with a password, an emailed link, or the OIDC provider. `isAgain`: the visitor is already signed in. */
export function SignInPage({
  site,
  form,
  methods,
  isAgain = false,
}: AccountProps & { isAgain?: boolean }): JSX.Element {
  const { email, next, errors } = form
  const title = isAgain ? 'Sign in again' : 'Sign in'
  return (
    <Page site={site} title={`${title} · ${site.name}`} header="plain">
      <section class="narrow">
        <h1>{title}</h1>
        {isAgain ? (
          <p class="lede">This step needs a fresh sign-in, to make sure it’s you.</p>
        ) : (
          <SignInReason next={next} step="Sign in" />
        )}
        <Alert text={errors.form} />
        {methods.hasOidc ? <OidcForm next={next} /> : ''}
        {methods.hasPasswords ? (
          <form class="card" method="post" action="/sign-in">
            <EmailField email={email} error={errors.email} autofocus />
            <PasswordField autocomplete="current-password" error={errors.password} />
            <input type="hidden" name="next" value={attribute(next)} />
            <div class="send">
              <button type="submit" class="primary">
                Sign in
              </button>
              {/* The same form, sent elsewhere: without a password it asks for a link. */}
              {isAgain ? '' : <span class="hint">Forgot your password?</span>}
              <button type="submit" formaction="/sign-in/link" formnovalidate>
                Email me a link
              </button>
            </div>
          </form>
        ) : (
          <form class="card" method="post" action="/sign-in/link">
            <EmailField email={email} error={errors.email} autofocus />
            <input type="hidden" name="next" value={attribute(next)} />
            <div class="send">
              <button type="submit" class="primary">
                Email me a link
              </button>
            </div>
          </form>
        )}
        {isAgain ? (
          ''
        ) : (
          <p class="hint">
            <NewHere methods={methods} next={next} />
          </p>
        )}
      </section>
    </Page>
  )
}

/** Why the visitor was sent here, if the previous page says so; `step` is what this page does. */
export function SignInReason({ next, step }: { next: string; step: 'Sign in' | 'Sign up' }): JSX.Element {
  const text = next.startsWith('/claim/')
    ? 'That adds the bundle to your account.'
    : next.startsWith('/invitations/')
      ? `${step} with the invited address to join the organisation.`
      : null
  return text === null ? (
    ''
  ) : (
    <p class="lede" safe>
      {text}
    </p>
  )
}

/** How someone without an account gets one. */
function NewHere({ methods, next }: { methods: SignInMethods; next: string }): JSX.Element {
  if (methods.hasSignUpPage) {
    return (
      <>
        New here? <a href={`/sign-up?next=${encodeURIComponent(next)}`}>Create account</a>
      </>
    )
  }
  if (methods.signUp === 'open') return <>New here? Just sign in: that creates your account.</>
  if (methods.signUp === 'closed') return <>New here? Ask your administrator for an account.</>
  return <>New here? You need an invitation. If you have one, email yourself a sign-in link at the invited address.</>
}

/** Signs in, or creates an account, at the OIDC provider. */
export function OidcForm({ next }: { next: string }): JSX.Element {
  return (
    <form method="post" action="/sign-in/oidc" class="oidc">
      <input type="hidden" name="next" value={attribute(next)} />
      <button type="submit">Continue with single sign-on</button>
    </form>
  )
}

/** Shown instead of the sign-in form to a signed-in visitor. */
export function SignedInPage({ site, email, next }: { site: Site; email: string; next: string }): JSX.Element {
  return (
    <Page site={site} title={`You’re signed in · ${site.name}`} header="plain">
      <section class="narrow">
        <h1>You’re already signed in</h1>
        <div class="send">
          <a class="button primary" href={attribute(next)} safe>
            {`Stay signed in as ${email}`}
          </a>
          <a class="button" href={attribute(`/sign-in?as=other&next=${encodeURIComponent(next)}`)}>
            Switch accounts
          </a>
        </div>
      </section>
    </Page>
  )
}

interface LinkSentProps extends Pick<AccountProps, 'site' | 'methods'> {
  email: string
  next: string
}

/** After requesting a link: the same whether or not the address has an account. */
export function LinkSentPage({ site, methods, email, next }: LinkSentProps): JSX.Element {
  return (
    <Page site={site} title={`Check your email · ${site.name}`}>
      <section class="narrow">
        <h1>Check your email</h1>
        <p class="lede">
          {methods.signUp === 'open' ? (
            <>
              We sent a sign-in link to <strong safe>{email}</strong>.
            </>
          ) : (
            <>
              If <strong safe>{email}</strong>{' '}
              {methods.signUp === 'invited' ? 'has an account or an invitation' : 'has an account'} here, we sent it a
              sign-in link.
            </>
          )}{' '}
          It works once, for 15 minutes.
        </p>
        <p class="hint">
          Can’t find it? Check your spam folder, or{' '}
          <a href={`/sign-in?next=${encodeURIComponent(next)}`}>try another address</a>.
        </p>
      </section>
    </Page>
  )
}

/** On the way to the OIDC provider; browsers continue by themselves. */
export function RedirectPage({ site, url }: { site: Site; url: string }): JSX.Element {
  return (
    <Page site={site} title={`Single sign-on · ${site.name}`} header="plain">
      <section class="narrow">
        <h1>Taking you to single sign-on…</h1>
        <p>
          <a class="button primary" href={url}>
            Continue
          </a>
        </p>
      </section>
    </Page>
  )
}
