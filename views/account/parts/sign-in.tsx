/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import { Alert, EmailField, PasswordField } from '../../parts/fields.tsx'
import { attribute, Page, type Site } from '../../parts/layout.tsx'
import type { SignInMethods } from '../../parts/visitor.ts'

/** A submitted account form with its errors. */
export interface AccountForm {
  email: string
  name: string
  /** The destination afterwards: a path of this service. */
  next: string
  errors: { name?: string; email?: string; password?: string; form?: string }
}

export interface AccountProps {
  site: Site
  form: AccountForm
  methods: SignInMethods
  /** The name of the bundle that is kept afterwards; null if there is none. */
  keeps: string | null
}

/** Signs in with a password, an emailed link, or the OIDC provider. `isAgain`: the visitor is already signed in. */
export function SignInPage({
  site,
  form,
  methods,
  keeps,
  isAgain = false,
}: AccountProps & { isAgain?: boolean }): JSX.Element {
  const { email, next, errors } = form
  const title = isAgain ? 'Sign in again' : 'Sign in'
  const hasPassword = methods.hasPasswords && (isAgain || errors.password !== undefined || errors.form !== undefined)
  return (
    <Page
      site={site}
      title={`${title} · ${site.name}`}
      description={`Sign in to ${site.name} to keep and edit your links.`}
      header="plain"
    >
      <section class="narrow">
        <Door title={title} beside={methods.hasSignUpPage && !isAgain ? <ToSignUp next={next} /> : undefined}>
          {isAgain ? (
            <p class="lede">This step needs a fresh sign-in, to make sure it’s you.</p>
          ) : (
            <SignInReason next={next} keeps={keeps} step="Sign in" />
          )}
          <Alert text={errors.form} />
          {methods.hasOidc && <OidcForm next={next} />}
          <form
            class="stack"
            method="post"
            action={isAgain ? routes.account.signIn.href() : routes.account.mailLink.href()}
          >
            {/* The default button for Enter: with a password it signs in, without one it requests a link. */}
            {methods.hasPasswords && !isAgain && (
              <button
                type="submit"
                formaction={`${routes.account.signIn.href()}?or=link`}
                formnovalidate
                hidden
              ></button>
            )}
            <EmailField email={email} error={errors.email} autofocus />
            <input type="hidden" name="next" value={attribute(next)} />
            {isAgain && methods.hasPasswords ? (
              <WithPassword error={errors.password} />
            ) : (
              <>
                <div class="send">
                  <button type="submit" class="primary" formaction={routes.account.mailLink.href()} formnovalidate>
                    Email me a link
                  </button>
                </div>
                {methods.hasPasswords && (
                  <details class="with-password" open={hasPassword}>
                    <summary class="quiet">Use a password</summary>
                    <div class="stack">
                      <WithPassword error={errors.password} />
                    </div>
                  </details>
                )}
              </>
            )}
          </form>
        </Door>
        {!isAgain && (
          <p class="hint">
            <NewHere methods={methods} />
          </p>
        )}
      </section>
    </Page>
  )
}

function WithPassword({ error }: { error: string | undefined }): JSX.Element {
  return (
    <>
      <PasswordField autocomplete="current-password" error={error} />
      <div class="send">
        <button type="submit" formaction={routes.account.signIn.href()}>
          Sign in
        </button>
      </div>
    </>
  )
}

function ToSignUp({ next }: { next: string }): JSX.Element {
  return (
    <a class="quiet" href={`${routes.account.signUp.href()}?next=${encodeURIComponent(next)}`}>
      Create account
    </a>
  )
}

interface SignInReasonProps extends Pick<AccountProps, 'keeps'> {
  next: string
  /** The action of this page. */
  step: 'Sign in' | 'Sign up'
}

/** The reason for signing in, if there is one. */
export function SignInReason({ next, keeps, step }: SignInReasonProps): JSX.Element {
  if (keeps !== null)
    return (
      <p class="lede" safe>
        {`${step === 'Sign up' ? 'Create an account' : 'Sign in'} to keep editing “${keeps}”.`}
      </p>
    )
  if (!next.startsWith(routes.account.invitation.start)) return ''
  return <p class="lede" safe>{`${step} with the invited address to join the organisation.`}</p>
}

/** The effect of the link, or how to get an account. */
function NewHere({ methods }: { methods: SignInMethods }): JSX.Element {
  if (methods.hasSignUpPage) return <>The link signs you in once, within 15 minutes.</>
  if (methods.signUp === 'open') return <>New here? Just sign in: that creates your account.</>
  if (methods.signUp === 'closed') return <>New here? Ask your administrator for an account.</>
  return <>New here? You need an invitation. If you have one, email yourself a sign-in link at the invited address.</>
}

/** Signs in, or creates an account, at the OIDC provider. */
export function OidcForm({ next }: { next: string }): JSX.Element {
  return (
    <form method="post" action={routes.account.oidc.href()} class="oidc">
      <input type="hidden" name="next" value={attribute(next)} />
      <button type="submit">Continue with single sign-on</button>
      <p class="or">or</p>
    </form>
  )
}

/** Replaces the sign-in form for signed-in visitors. */
export function SignedInPage({ site, email, next }: { site: Site; email: string; next: string }): JSX.Element {
  return (
    <Page site={site} title={`You’re signed in · ${site.name}`} header="plain">
      <section class="narrow">
        <h1>You’re already signed in</h1>
        <div class="send">
          <a class="button primary" href={attribute(next)} safe>
            {`Stay signed in as ${email}`}
          </a>
          <a
            class="button"
            href={attribute(`${routes.account.signIn.href()}?as=other&next=${encodeURIComponent(next)}`)}
          >
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

/** The page after requesting a link: the same whether or not the address has an account. */
export function LinkSentPage({ site, methods, email, next }: LinkSentProps): JSX.Element {
  return (
    <Page site={site} title={`Check your email · ${site.name}`} header="plain">
      <section class="narrow">
        <Door title="Check your email">
          <p class="lede">
            {methods.signUp === 'open' ? (
              <>
                We’re sending a sign-in link to <strong safe>{email}</strong>.
              </>
            ) : (
              <>
                If <strong safe>{email}</strong>{' '}
                {methods.signUp === 'invited' ? 'has an account or an invitation' : 'has an account'} here, we’re
                sending it a sign-in link.
              </>
            )}{' '}
            It works once, for 15 minutes.
          </p>
          <p class="hint">
            It can take a few minutes. Can’t find it? Check your spam folder, or{' '}
            <a href={`${routes.account.signIn.href()}?next=${encodeURIComponent(next)}`}>try another address</a>.
          </p>
        </Door>
      </section>
    </Page>
  )
}

/** The page before the OIDC provider; browsers continue automatically. */
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

/** A centred sheet with its heading as a tab; `beside` links to the other sheet. */
export function Door({ title, beside = '', children }: PropsWithChildren<{ title: string; beside?: JSX.Element }>) {
  return (
    <div class="door">
      <div class="strip">
        <h1 class="tab-name" safe>
          {title}
        </h1>
        {beside}
      </div>
      <div class="sheet">{children}</div>
    </div>
  )
}
