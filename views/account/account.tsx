/** @jsxImportSource @kitajs/html */

import { Alert, described, Field } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

/** A form of these pages as it was sent, and what is wrong with it. */
export interface AccountForm {
  email: string
  name: string
  /** Where to go afterwards: a path of this service. */
  next: string
  errors: { name?: string; email?: string; password?: string; form?: string }
}

interface AccountProps {
  site: Site
  form: AccountForm
  /** Whether an OIDC provider is configured. */
  hasOidc: boolean
}

/** Sign in with a password, by a mailed link, or at the OIDC provider. */
export function SignInPage({ site, form, hasOidc }: AccountProps): JSX.Element {
  const { email, next, errors } = form
  return (
    <Page site={site} title={`Sign in · ${site.name}`}>
      <section class="narrow">
        <h1>Sign in</h1>
        <Alert text={errors.form} />
        {hasOidc ? <OidcForm next={next} /> : ''}
        <form class="card" method="post" action="/sign-in">
          <EmailField email={email} error={errors.email} autofocus />
          <PasswordField autocomplete="current-password" error={errors.password} />
          <input type="hidden" name="next" value={attribute(next)} />
          <div class="send">
            <button type="submit" class="primary">
              Sign in
            </button>
            {/* The same form, sent elsewhere: without a password it asks for a link. */}
            <button type="submit" formaction="/sign-in/link" formnovalidate>
              Mail me a link instead
            </button>
          </div>
        </form>
        <p class="hint">
          New here? <a href={`/sign-up?next=${encodeURIComponent(next)}`}>Make an account</a>
        </p>
      </section>
    </Page>
  )
}

/** Make an account. */
export function SignUpPage({ site, form, hasOidc }: AccountProps): JSX.Element {
  const { email, name, next, errors } = form
  return (
    <Page site={site} title={`Make an account · ${site.name}`}>
      <section class="narrow">
        <h1>Make an account</h1>
        <Alert text={errors.form} />
        {hasOidc ? <OidcForm next={next} /> : ''}
        <form class="card" method="post" action="/sign-up">
          <Field id="name" label="Name" note="optional" error={errors.name}>
            <input
              id="name"
              name="name"
              value={attribute(name)}
              autocomplete="name"
              maxlength="100"
              {...described('name', errors.name)}
            />
          </Field>
          <EmailField email={email} error={errors.email} />
          <PasswordField autocomplete="new-password" error={errors.password} hint="At least 8 characters." />
          <input type="hidden" name="next" value={attribute(next)} />
          <div class="send">
            <button type="submit" class="primary">
              Make the account
            </button>
          </div>
        </form>
        <p class="hint">
          Have one? <a href={`/sign-in?next=${encodeURIComponent(next)}`}>Sign in</a>
        </p>
      </section>
    </Page>
  )
}

/** After a link was asked for: the same whether or not the address has an account. */
export function LinkSentPage({ site, email, next }: { site: Site; email: string; next: string }): JSX.Element {
  return (
    <Page site={site} title={`Look in your mail · ${site.name}`}>
      <section class="narrow">
        <h1>Look in your mail</h1>
        <p class="lede">
          A link to sign in is on its way to <strong safe>{email}</strong>. It works once, for 15 minutes.
        </p>
        <p class="hint">
          Nothing there? Look among the unwanted mail, or{' '}
          <a href={`/sign-in?next=${encodeURIComponent(next)}`}>go back</a> and check the address.
        </p>
      </section>
    </Page>
  )
}

/** After a sign-up where addresses must be confirmed first: the same whether or not the address was new. */
export function ConfirmPage({ site, email }: { site: Site; email: string }): JSX.Element {
  return (
    <Page site={site} title={`Confirm your address · ${site.name}`}>
      <section class="narrow">
        <h1>Confirm your address</h1>
        <p class="lede">
          A mail is on its way to <strong safe>{email}</strong>. Open the link in it, and then sign in.
        </p>
        <p>
          <a class="button" href="/sign-in">
            Sign in
          </a>
        </p>
      </section>
    </Page>
  )
}

interface NewPasswordProps {
  site: Site
  /** Of the account that the password is for. */
  email: string
  error: string | undefined
}

/** Behind a mailed link: choose a password. */
export function NewPasswordPage({ site, email, error }: NewPasswordProps): JSX.Element {
  return (
    <Page site={site} title={`Choose a password · ${site.name}`}>
      <section class="narrow">
        <h1>Choose a password</h1>
        <p class="lede">
          It is for the account of <strong safe>{email}</strong>.
        </p>
        <form class="card" method="post">
          {/* For password managers, which file passwords under it. */}
          <input type="hidden" autocomplete="username" value={attribute(email)} />
          <PasswordField autocomplete="new-password" error={error} hint="At least 8 characters." />
          <div class="send">
            <button type="submit" class="primary">
              Set the password
            </button>
          </div>
        </form>
        <p class="hint">Afterwards you are signed out everywhere, and sign in with the new password.</p>
      </section>
    </Page>
  )
}

/** After a password was set by a mailed link. */
export function PasswordSetPage({ site }: { site: Site }): JSX.Element {
  return (
    <Page site={site} title={`Your password is set · ${site.name}`}>
      <section class="narrow">
        <h1>Your password is set</h1>
        <p class="lede">Every browser that was signed in with your account is signed out.</p>
        <p>
          <a class="button primary" href="/sign-in?next=/dashboard">
            Sign in
          </a>
        </p>
      </section>
    </Page>
  )
}

/** On the way to the OIDC provider; browsers go on by themselves. */
export function OnwardPage({ site, url }: { site: Site; url: string }): JSX.Element {
  return (
    <Page site={site} title={`Single sign-on · ${site.name}`}>
      <section class="narrow">
        <h1>On to your sign-in</h1>
        <p>
          <a class="button primary" href={url}>
            Go on
          </a>
        </p>
      </section>
    </Page>
  )
}

function OidcForm({ next }: { next: string }): JSX.Element {
  return (
    <form method="post" action="/sign-in/oidc" class="oidc">
      <input type="hidden" name="next" value={attribute(next)} />
      <button type="submit">Continue with single sign-on</button>
    </form>
  )
}

function EmailField({
  email,
  error,
  autofocus = false,
}: {
  email: string
  error: string | undefined
  autofocus?: boolean
}) {
  return (
    <Field id="email" label="E-mail address" error={error}>
      <input
        id="email"
        name="email"
        type="email"
        required
        maxlength="254"
        autocomplete="email"
        autofocus={autofocus && email === ''}
        value={attribute(email)}
        {...described('email', error)}
      />
    </Field>
  )
}

interface PasswordProps {
  /** Also its id; `password` where a page asks for one alone. */
  name?: string
  label?: string
  autocomplete: 'current-password' | 'new-password'
  error: string | undefined
  hint?: string
}

/** A field for a password, which never comes back filled. */
export function PasswordField({ name = 'password', label = 'Password', autocomplete, error, hint }: PasswordProps) {
  return (
    <Field id={name} label={label} error={error}>
      <input
        id={name}
        name={name}
        type="password"
        required
        minlength="8"
        maxlength="128"
        autocomplete={autocomplete}
        {...described(name, error)}
      />
      {hint === undefined || error !== undefined ? (
        ''
      ) : (
        <p class="hint" safe>
          {hint}
        </p>
      )}
    </Field>
  )
}
