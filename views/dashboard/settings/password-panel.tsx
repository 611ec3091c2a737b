/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import { PasswordField, Username } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type FormErrors, toSignIn } from '../parts/form.tsx'
import { Form, Panel } from '../parts/panel.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

export type SettingsErrors = FormErrors<'name' | 'currentPassword' | 'newPassword'>

interface PasswordPanelProps {
  site: DashboardSite
  errors: SettingsErrors
  hasPassword: boolean
}

/** Changes the password of an account, or sets the first one by an emailed link. */
export function PasswordPanel({ site, errors, hasPassword }: PasswordPanelProps): JSX.Element {
  return (
    <Panel id="password" heading="Password">
      {hasPassword && !site.user.hasRecentSignIn ? (
        <p>
          <a class="button" href={attribute(toSignIn(routes.settings.page.href()))} hx-boost="false">
            Sign in again to change your password
          </a>
        </p>
      ) : hasPassword ? (
        <Form
          kind="stack"
          action={routes.settings.page.href()}
          hidden={{ change: 'password' }}
          button="Change password"
        >
          <Username name={site.user.email} />
          <PasswordField
            name="currentPassword"
            label="Current password"
            autocomplete="current-password"
            error={errors.currentPassword}
          />
          <PasswordField
            name="newPassword"
            label="New password"
            autocomplete="new-password"
            error={errors.newPassword}
            hint="Use at least 8 characters."
          />
          <p class="hint">Changing it signs out all your other browsers.</p>
        </Form>
      ) : (
        <p class="words hint">You don’t have a password: you sign in with an emailed link or single sign-on.</p>
      )}
      <Form
        action={routes.settings.page.href()}
        hidden={{ change: 'passwordMail' }}
        button={hasPassword ? 'Forgot it? Email me a link to set a new one' : 'Email me a link to set one'}
        look={hasPassword ? 'quiet small' : undefined}
      />
    </Panel>
  )
}
