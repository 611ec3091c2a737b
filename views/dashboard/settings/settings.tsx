/** @jsxImportSource @kitajs/html */

import { Alert, described, Field } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ConfirmationForm, ExportLink } from '../parts/proof.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { type Browser, BrowserRow } from './browsers.tsx'
import type { SettingsErrors } from './errors.ts'
import { PasswordPanel } from './password-panel.tsx'

interface SettingsProps {
  site: DashboardSite
  /** As it was typed. */
  name: string
  errors: SettingsErrors
  browsers: Browser[]
  hasPassword: boolean
}

/** The visitor's own account. */
export function SettingsView(props: SettingsProps): JSX.Element {
  const { errors, browsers } = props
  return (
    <>
      <Head title="Settings" lede="Your own account, whomever you act for." />
      <Alert text={errors.form} />
      <Profile {...props} />
      <PasswordPanel {...props} />
      <section class="panel" aria-labelledby="browsers">
        <h2 id="browsers">Where you are signed in</h2>
        <ul class="rows">{browsers.map((browser) => <BrowserRow browser={browser} />) as 'safe'[]}</ul>
        {browsers.length < 2 ? (
          ''
        ) : (
          <form method="post" action="/dashboard/settings/sessions/end">
            <button type="submit">Sign out everywhere else</button>
          </form>
        )}
      </section>
      <section class="panel" aria-labelledby="data">
        <h2 id="data">Your data</h2>
        <p class="words hint">
          One JSON file with your profile and organisations, and your own bundles with every version, rule and count,
          and your keys without their secrets. An organisation’s data is exported by its admins, on its page.
        </p>
        <p>
          <ExportLink site={props.site} label="Export all your data" back="/dashboard/settings" />
        </p>
      </section>
      <section class="panel" aria-labelledby="delete">
        <h2 id="delete">Delete your account</h2>
        <p class="words hint">The next page tells what goes with it, and asks once more.</p>
        <p>
          <a class="button danger" href="/dashboard/settings/delete">
            Delete your account…
          </a>
        </p>
      </section>
    </>
  )
}

function Profile({ site, name, errors }: SettingsProps): JSX.Element {
  const { email, emailVerified } = site.viewer
  return (
    <section class="panel" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <form class="inline" method="post" action="/dashboard/settings">
        <input type="hidden" name="change" value="name" />
        <Field id="name" label="Name" error={errors.name}>
          <input
            id="name"
            dir="auto"
            name="name"
            maxlength="100"
            autocomplete="name"
            value={attribute(name)}
            {...described('name', errors.name)}
          />
        </Field>
        <button type="submit">Save the name</button>
      </form>
      <div class="field">
        <span class="label">E-mail address</span>
        <p class="facts">
          <bdi safe>{email}</bdi>
          {emailVerified ? <span class="tag good">confirmed</span> : <span class="tag bad">not confirmed</span>}
        </p>
        {emailVerified ? (
          ''
        ) : (
          <>
            <p class="hint">
              Open the link in the mail we sent you. Until then you can’t make API keys or invite people or join their
              organisations, and rules don’t know your domain.
            </p>
            <ConfirmationForm back="/dashboard/settings" />
          </>
        )}
      </div>
    </section>
  )
}
