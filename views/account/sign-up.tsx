/** @jsxImportSource @kitajs/html */

import { PasswordField } from '../parts/account-fields.tsx'
import { EmailField } from '../parts/email-field.tsx'
import { Alert, NameField } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { Door } from './door.tsx'
import { type AccountProps, OidcForm, SignInReason } from './sign-in.tsx'

export function SignUpPage({ site, form, methods }: AccountProps): JSX.Element {
  const { email, name, next, errors } = form
  return (
    <Page
      site={site}
      title={`Create account · ${site.name}`}
      description={`Create an account on ${site.name} to keep and edit your links.`}
      header="plain"
    >
      <section class="narrow">
        <Door
          title="Create account"
          beside={
            <a class="quiet" href={`/sign-in?next=${encodeURIComponent(next)}`}>
              Sign in
            </a>
          }
        >
          <SignInReason next={next} step="Sign up" />
          <Alert text={errors.form} />
          {methods.hasOidc ? <OidcForm next={next} /> : ''}
          <form class="stack" method="post" action="/sign-up">
            <EmailField email={email} error={errors.email} />
            <NameField note="optional" error={errors.name} value={name} autocomplete="name" />
            <PasswordField autocomplete="new-password" error={errors.password} hint="Use at least 8 characters." />
            <input type="hidden" name="next" value={attribute(next)} />
            <div class="send">
              <button type="submit" class="primary">
                Create account
              </button>
            </div>
          </form>
        </Door>
        <p class="hint">We’ll email you a link to confirm your address.</p>
      </section>
    </Page>
  )
}

/** After a sign-up where addresses must be confirmed first: the same whether or not the address was new. */
export function ConfirmPage({ site, email }: { site: Site; email: string }): JSX.Element {
  return (
    <Page site={site} title={`Check your email · ${site.name}`} header="plain">
      <section class="narrow">
        <Door title="Check your email">
          <p class="lede">
            We’re sending an email to <strong safe>{email}</strong>. Open the link in it to confirm your address, then
            sign in.
          </p>
          <p class="hint">It can take a few minutes. Can’t find it? Check your spam folder.</p>
          <p>
            <a class="button" href="/sign-in">
              Sign in
            </a>
          </p>
        </Door>
      </section>
    </Page>
  )
}
