/** @jsxImportSource @kitajs/html */

import { EmailField } from '../parts/email-field.tsx'
import { Alert } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { PasswordField } from './account-fields.tsx'

/** A form of these pages as it was sent, and what is wrong with it. */
export interface AccountForm {
  email: string
  name: string
  /** Where to go afterwards: a path of this service. */
  next: string
  errors: { name?: string; email?: string; password?: string; form?: string }
}

/** What the pages for signing in and for making an account are given. */
export interface AccountProps {
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

/** Signs in, or makes an account, at the OIDC provider. */
export function OidcForm({ next }: { next: string }): JSX.Element {
  return (
    <form method="post" action="/sign-in/oidc" class="oidc">
      <input type="hidden" name="next" value={attribute(next)} />
      <button type="submit">Continue with single sign-on</button>
    </form>
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
