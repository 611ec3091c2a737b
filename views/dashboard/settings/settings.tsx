/** @jsxImportSource @kitajs/html */

import { Each } from '../../parts/each.tsx'
import { Alert, NameField } from '../../parts/fields.tsx'
import { ExportLink } from '../parts/proof.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { TabbedSheet } from '../parts/tabs.tsx'
import { type Browser, BrowserRow } from './browsers.tsx'
import { MailsPanel } from './mails-panel.tsx'
import { SETTINGS_PAGES } from './pages.ts'
import { PasswordPanel, type SettingsErrors } from './password-panel.tsx'

interface SettingsProps {
  site: DashboardSite
  /** The name, as typed. */
  name: string
  errors: SettingsErrors
  browsers: Browser[]
  /** Which emails they want; null if this server sends none. */
  mails: Parameters<typeof MailsPanel>[0]['mails'] | null
  /** `off` if passwords are turned off on this server. */
  password: 'set' | 'none' | 'off'
}

/** The visitor's own account. */
export function SettingsView(props: SettingsProps): JSX.Element {
  const { errors, browsers, mails } = props
  return (
    <>
      <Head title="Settings" lede="Your account, across all workspaces." />
      <TabbedSheet label="Settings" pages={SETTINGS_PAGES} at={SETTINGS_PAGES[0].href}>
        <Alert text={errors.form} />
        <Profile {...props} />
        {props.password === 'off' ? '' : <PasswordPanel {...props} hasPassword={props.password === 'set'} />}
        {mails === null ? '' : <MailsPanel mails={mails} isConfirmed={props.site.user.emailVerified} />}
        <section class="panel" aria-labelledby="browsers">
          <h2 id="browsers">Where you’re signed in</h2>
          <ul class="rows">
            <Each of={browsers} show={(browser) => <BrowserRow browser={browser} />} />
          </ul>
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
            Download your profile, bundles (with versions, rules and insights) and API keys (without their secrets) as
            one JSON file. Admins can export an organisation’s data from its page.
          </p>
          <p>
            <ExportLink site={props.site} label="Export your data" back="/dashboard/settings" />
          </p>
        </section>
        <section class="panel" aria-labelledby="delete">
          <h2 id="delete">Delete account</h2>
          <p class="words hint">You’ll see what gets deleted before you confirm.</p>
          <p>
            <a class="button danger" href="/dashboard/settings/delete">
              Delete account…
            </a>
          </p>
        </section>
      </TabbedSheet>
    </>
  )
}

function Profile({ site, name, errors }: SettingsProps): JSX.Element {
  const { email, emailVerified } = site.user
  return (
    <section class="panel" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <form class="inline" method="post" action="/dashboard/settings">
        <input type="hidden" name="change" value="name" />
        <NameField error={errors.name} value={name} autocomplete="name" />
        <button type="submit">Save name</button>
      </form>
      <div class="field">
        <span class="label">Email address</span>
        <p class="cluster">
          <bdi safe>{email}</bdi>
          {emailVerified ? <span class="tag good">confirmed</span> : <span class="tag bad">not confirmed</span>}
        </p>
        {emailVerified ? (
          ''
        ) : (
          <p class="hint">Open the link we sent you to confirm it. Until then, rules can’t match your email domain.</p>
        )}
      </div>
    </section>
  )
}
