/** @jsxImportSource @kitajs/html */

import { EmailField } from '../parts/email-field.tsx'
import { Alert, described, Field } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { PasswordField } from './account-fields.tsx'
import { type AccountProps, OidcForm } from './sign-in.tsx'

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
