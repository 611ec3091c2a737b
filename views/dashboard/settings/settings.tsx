/** @jsxImportSource @kitajs/html */

import type { OptionalMail } from '../../../db/schema.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, NameField } from '../../parts/fields.tsx'
import { ChecksPanel } from '../parts/checks-panel.tsx'
import { Form, Panel } from '../parts/panel.tsx'
import { ExportLink } from '../parts/proof.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { TabbedSheet } from '../parts/tabs.tsx'
import { type Browser, BrowserRow } from './browsers.tsx'
import { PasswordPanel, type SettingsErrors } from './password-panel.tsx'

/** The tabs of Settings. */
export const SETTINGS_PAGES = [
  { href: '/dashboard/settings', name: 'Account' },
  { href: '/dashboard/settings/activity', name: 'Activity' },
] as const

interface SettingsProps {
  site: DashboardSite
  /** The name, as typed. */
  name: string
  errors: SettingsErrors
  browsers: Browser[]
  /** Which emails they want; null if this server sends none. */
  mails: Parameters<typeof MailsPanel>[0]['mails'] | null
  /** Whether their links are looked at; null if this server looks at none. */
  isChecked: boolean | null
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
        {props.isChecked === null ? '' : <ChecksPanel action="/dashboard/settings" isOn={props.isChecked} />}
        <Panel id="browsers" heading="Where you’re signed in">
          <ul class="rows">
            <Each of={browsers} show={(browser) => <BrowserRow browser={browser} />} />
          </ul>
          {browsers.length < 2 ? (
            ''
          ) : (
            <Form action="/dashboard/settings/sessions/end" button="Sign out everywhere else" />
          )}
        </Panel>
        <Panel id="data" heading="Your data">
          <p class="words hint">
            Download your profile, bundles (with versions, rules and insights) and API keys (without their secrets) as
            one JSON file. Admins can export an organisation’s data from its page.
          </p>
          <p>
            <ExportLink site={props.site} label="Export your data" back="/dashboard/settings" />
          </p>
        </Panel>
        <Panel id="delete" heading="Delete account">
          <p class="words hint">You’ll see what gets deleted before you confirm.</p>
          <p>
            <a class="button danger" href="/dashboard/settings/delete">
              Delete account…
            </a>
          </p>
        </Panel>
      </TabbedSheet>
    </>
  )
}

function Profile({ site, name, errors }: SettingsProps): JSX.Element {
  const { email, emailVerified } = site.user
  return (
    <Panel id="profile" heading="Profile">
      <Form kind="inline" action="/dashboard/settings" hidden={{ change: 'name' }} button="Save name">
        <NameField error={errors.name} value={name} autocomplete="name" />
      </Form>
      <div class="field">
        <span class="label">Email address</span>
        <p class="cluster">
          <bdi safe>{email}</bdi>
          {emailVerified ? <span class="tag good">confirmed</span> : <span class="tag bad">not confirmed</span>}
        </p>
        {emailVerified ? (
          ''
        ) : (
          <p class="hint">
            Open the link we sent you to confirm it; it can take a few minutes. Until then, rules can’t match your email
            domain.
          </p>
        )}
      </div>
    </Panel>
  )
}

const LABELS: Record<OptionalMail, string> = {
  proposed: 'Somebody sends a suggestion for my bundles',
  decided: 'My suggestion was accepted or rejected',
  keyEnds: 'One of my API keys ends in a week',
  linksBroken: 'Links of a bundle I can edit are broken',
}

/** Switches for the emails that a person can do without. */
function MailsPanel({ mails, isConfirmed }: { mails: Record<OptionalMail, boolean>; isConfirmed: boolean }) {
  return (
    <Panel id="mails" heading="Emails">
      <Form kind="stack" action="/dashboard/settings" hidden={{ change: 'mails' }} button="Save emails">
        <fieldset class="field">
          <legend>Email me when</legend>
          <Each
            of={Object.keys(LABELS) as OptionalMail[]}
            show={(kind) => (
              <label class="choice">
                <input type="checkbox" name={kind} value="yes" checked={mails[kind]} />
                <span safe>{LABELS[kind]}</span>
              </label>
            )}
          />
          <p class="hint">
            {isConfirmed
              ? 'At most one email an hour for a bundle. Emails about your account’s safety always come.'
              : 'They come once your email address is confirmed.'}
          </p>
        </fieldset>
      </Form>
    </Panel>
  )
}
