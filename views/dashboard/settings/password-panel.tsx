/** @jsxImportSource @kitajs/html */

import { PasswordField } from '../../account/account-fields.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import type { SettingsErrors } from './errors.ts'

interface PasswordPanelProps {
  site: DashboardSite
  errors: SettingsErrors
  hasPassword: boolean
}

/** Changes the password of an account, or sets its first by a mailed link. */
export function PasswordPanel({ site, errors, hasPassword }: PasswordPanelProps): JSX.Element {
  return (
    <section class="panel" aria-labelledby="password">
      <h2 id="password">Password</h2>
      {hasPassword && !site.viewer.signedInLately ? (
        <p>
          <a class="button" href="/sign-in?next=/dashboard/settings" hx-boost="false">
            Sign in again to change your password
          </a>
        </p>
      ) : hasPassword ? (
        <form class="stack" method="post" action="/dashboard/settings">
          <input type="hidden" name="change" value="password" />
          <PasswordField
            name="currentPassword"
            label="Present password"
            autocomplete="current-password"
            error={errors.currentPassword}
          />
          <PasswordField
            name="newPassword"
            label="New password"
            autocomplete="new-password"
            error={errors.newPassword}
            hint="At least 8 characters."
          />
          <p class="hint">Changing it signs out every other browser.</p>
          <div class="actions">
            <button type="submit">Change the password</button>
          </div>
        </form>
      ) : (
        <p class="words hint">You have none: you sign in by a mailed link or single sign-on.</p>
      )}
      <form method="post" action="/dashboard/settings">
        <input type="hidden" name="change" value="passwordMail" />
        <button type="submit" class={hasPassword ? 'quiet small' : undefined}>
          {hasPassword ? 'Forgotten? Mail me a link to set a new one' : 'Mail me a link to set one'}
        </button>
      </form>
    </section>
  )
}
