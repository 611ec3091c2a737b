/** @jsxImportSource @kitajs/html */

import { browserName } from '../../../src/core/words.ts'
import { PasswordField } from '../../account/account.tsx'
import { Alert, described, Field } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ConfirmationForm, ExportLink } from '../parts/proof.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'

/** What is wrong with a form of the page, by its field. */
export interface SettingsErrors {
  name?: string
  currentPassword?: string
  newPassword?: string
  form?: string
}

/** A browser that is signed in; what its User-Agent does not tell is null. */
export interface Browser {
  id: string
  createdAt: number
  isThis: boolean
  device: string | null
  os: string | null
  browser: string | null
}

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
      <Password {...props} />
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

function Password({ site, errors, hasPassword }: SettingsProps): JSX.Element {
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

function BrowserRow({ browser }: { browser: Browser }): JSX.Element {
  const { id, createdAt, isThis, device } = browser
  const name = browserName(browser) ?? 'An unknown browser'
  return (
    <li class="row person">
      <div class="what">
        <span class="name" safe>
          {name}
        </span>
        <span class="hint">
          <span safe>{device === null ? 'signed in ' : `${device}, signed in `}</span>
          <When at={createdAt} />
        </span>
      </div>
      {isThis ? (
        <span class="tag good">this browser</span>
      ) : (
        <form method="post" action={`/dashboard/settings/sessions/${id}/end`}>
          <button type="submit" class="quiet" aria-label={attribute(`Sign out ${name}`)}>
            Sign out
          </button>
        </form>
      )}
    </li>
  )
}
