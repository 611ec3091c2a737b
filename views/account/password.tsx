/** @jsxImportSource @kitajs/html */

import { PasswordField } from '../parts/account-fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

interface NewPasswordProps {
  site: Site
  /** Of the account that the password is for. */
  email: string
  error: string | undefined
}

/** Choose a password, from an emailed link. */
export function NewPasswordPage({ site, email, error }: NewPasswordProps): JSX.Element {
  return (
    <Page site={site} title={`Choose a password · ${site.name}`}>
      <section class="narrow">
        <h1>Choose a password</h1>
        <p class="lede">
          For your account, <strong safe>{email}</strong>.
        </p>
        <form class="card" method="post">
          {/* For password managers, which file passwords under it. */}
          <input type="hidden" autocomplete="username" value={attribute(email)} />
          <PasswordField autocomplete="new-password" error={error} hint="Use at least 8 characters." />
          <div class="send">
            <button type="submit" class="primary">
              Set password
            </button>
          </div>
        </form>
        <p class="hint">This signs you out everywhere. You can then sign in with your new password.</p>
      </section>
    </Page>
  )
}

/** After a password was set by an emailed link. */
export function PasswordSetPage({ site }: { site: Site }): JSX.Element {
  return (
    <Page site={site} title={`Password changed · ${site.name}`}>
      <section class="narrow">
        <h1>Password changed</h1>
        <p class="lede">You’ve been signed out everywhere. Sign in with your new password.</p>
        <p>
          <a class="button primary" href="/sign-in?next=/dashboard">
            Sign in
          </a>
        </p>
      </section>
    </Page>
  )
}
