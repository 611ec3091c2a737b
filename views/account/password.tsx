/** @jsxImportSource @kitajs/html */

import { attribute, Page, type Site } from '../parts/layout.tsx'
import { PasswordField } from './account-fields.tsx'

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
