/** @jsxImportSource @kitajs/html */

import type { OptionalMail } from '../../../db/schema.ts'
import type { AffectedOrganization, OwnedData } from '../../../src/accounts/deletion.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { Alert, NameField, PasswordField, Username } from '../../parts/fields.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import {
  ChecksPanel,
  Confirm,
  ConfirmByTyping,
  ExportLink,
  type FormErrors,
  OwnedDataItems,
  toSignIn,
} from '../parts/form.tsx'
import { Form, Panel, PanelsForm, SETTINGS_PAGES, TabbedSheet } from '../parts/panel.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { type Browser, BrowserRow } from './browsers.tsx'
import { PasswordPanel, type SettingsErrors } from './password-panel.tsx'

interface SettingsProps {
  site: DashboardSite
  /** The name, as typed. */
  name: string
  errors: SettingsErrors
  browsers: Browser[]
  /** The emails that they want; null if this server sends none. */
  mails: Parameters<typeof MailsPanel>[0]['mails'] | null
  /** Whether their links are checked; null if this server checks none. */
  isChecked: boolean | null
  /** Whether keys and webhooks are in the navigation. */
  hasDeveloperTools: boolean
  /** `off` if passwords are turned off on this server. */
  password: 'set' | 'none' | 'off'
}

/** The visitor's own account. */
export function SettingsView(props: SettingsProps): JSX.Element {
  const { site, errors, browsers, mails, isChecked } = props
  return (
    <>
      <Head title="Settings" lede="Your account, across all workspaces." />
      <TabbedSheet label="Settings" pages={SETTINGS_PAGES} at={SETTINGS_PAGES[0].href}>
        <Alert text={errors.form} />
        <PanelsForm action={routes.settings.page.href()}>
          <Profile {...props} />
          {mails !== null && <MailsPanel mails={mails} isConfirmed={site.user.emailVerified} />}
          {isChecked !== null && <ChecksPanel isOn={isChecked} />}
        </PanelsForm>
        {props.password !== 'off' && <PasswordPanel {...props} hasPassword={props.password === 'set'} />}
        {props.hasDeveloperTools ? '' : <DevelopersPanel site={site} />}
        <Panel id="browsers" heading="Where you’re signed in">
          <ul class="rows">
            <Each of={browsers} show={(browser) => <BrowserRow browser={browser} />} />
          </ul>
          {browsers.length >= 2 && (
            <Form action={routes.settings.endSessions.href()} button="Sign out everywhere else" />
          )}
        </Panel>
        <Panel id="data" heading="Your data">
          <p class="words hint">
            Download your profile, bundles (with versions, rules and insights) and API keys (without their secrets) as
            one JSON file. Admins can export an organisation’s data from its page.
          </p>
          <p>
            <ExportLink site={site} label="Export your data" back={routes.settings.page.href()} />
          </p>
        </Panel>
        <Panel id="delete" heading="Delete account">
          <p class="words hint">You’ll see what gets deleted before you confirm.</p>
          <p>
            <a class="button danger" href={routes.settings.delete.href()}>
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
      <input type="hidden" name="change" value="name" />
      <NameField error={errors.name} value={name} autocomplete="name" />
      <div class="field">
        <span class="label">Email address</span>
        <p class="cluster">
          <bdi safe>{email}</bdi>
          {emailVerified ? <span class="tag good">confirmed</span> : <span class="tag bad">not confirmed</span>}
        </p>
        {!emailVerified && (
          <p class="hint">
            Open the link we sent you to confirm it; it can take a few minutes. Until then, rules can’t match your email
            domain.
          </p>
        )}
      </div>
    </Panel>
  )
}

/** Leads admins to what the navigation has once it is used. */
function DevelopersPanel({ site: { user } }: Pick<SettingsProps, 'site'>): JSX.Element {
  if (!allowsRole(user.role, 'admin')) return ''
  const whose = user.acting === null ? 'your personal workspace' : user.acting.name
  return (
    <Panel id="developers" heading="Developers">
      <p class="words hint" safe>
        {`Scripts and agents work with an API key. Webhooks tell your own tools what happens. Both belong to ${whose}.`}
      </p>
      <div class="actions">
        <a class="button" href={routes.keys.list.href()}>
          API keys
        </a>
        <a class="button" href={routes.webhooks.list.href()}>
          Webhooks
        </a>
      </div>
    </Panel>
  )
}

const LABELS: Record<OptionalMail, string> = {
  proposed: 'Somebody suggests an edit to my bundles',
  decided: 'My suggestion is accepted or rejected',
  keyEnds: 'One of my API keys expires in a week',
  linksBroken: 'Links in a bundle I can edit break',
}

/** Switches for optional emails. */
function MailsPanel({ mails, isConfirmed }: { mails: Record<OptionalMail, boolean>; isConfirmed: boolean }) {
  return (
    <Panel id="mails" heading="Emails">
      <input type="hidden" name="change" value="mails" />
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
            ? 'At most one an hour for each bundle. We always email you about the safety of your account.'
            : 'We send them once your address is confirmed.'}
        </p>
      </fieldset>
    </Panel>
  )
}

/** The organisations that would be left without an admin, in one notice. */
function Blocking({ organizations: [first, ...more] }: { organizations: readonly AffectedOrganization[] }) {
  if (first === undefined) return ''
  if (more.length === 0)
    return (
      <p class="alert">
        {'You’re the only admin of '}
        <Name name={first.name} />
        {', which has other members. First, '}
        <a href={routes.organizations.organization.href({ id: first.id })}>
          make one of them an admin or delete the organisation
        </a>
        {'.'}
      </p>
    )
  return (
    <div class="alert">
      <p>
        You’re the only admin of these organisations, which have other members. First, make another member an admin of
        each or delete it:
      </p>
      <ul>
        <Each
          of={[first, ...more]}
          show={({ id, name }) => (
            <li>
              <a href={routes.organizations.organization.href({ id })}>
                <Name name={name} />
              </a>
            </li>
          )}
        />
      </ul>
    </div>
  )
}

interface DeleteAccountProps {
  site: DashboardSite
  takes: OwnedData & { organizations: AffectedOrganization[] }
  /** How the visitor proves that they own the account. */
  proof: 'password' | 'none' | 'signInAgain'
  /** What the owner has typed to confirm. */
  typedEmail: string
  errors: FormErrors<'email' | 'password'>
}

/** Asks before an account is deleted, and lists what is deleted with it. */
export function DeleteAccountView({ site, takes, proof, typedEmail, errors }: DeleteAccountProps): JSX.Element {
  const affected = (effect: AffectedOrganization['effect']) =>
    takes.organizations.filter((one) => one.effect === effect)
  const blocking = affected('blocks')
  const canGo = blocking.length === 0 && proof !== 'signInAgain'
  return (
    <Confirm
      title="Delete your account?"
      action={routes.settings.delete.href()}
      button={canGo ? 'Delete account' : undefined}
      back={routes.settings.page.href()}
      boost="false"
      fields={canGo ? <Proof site={site} proof={proof} typedEmail={typedEmail} errors={errors} /> : ''}
    >
      <Alert text={errors.form} />
      <p>You can’t undo this. It permanently deletes:</p>
      <ul>
        <OwnedDataItems bundles={takes.bundles} keys={takes.keys} whose=" of your own" />
        <Each
          of={affected('deleted')}
          show={({ name, bundles, keys }) => (
            <li>
              {'the organisation '}
              <Name name={name} />
              <span
                safe
              >{`, where you’re the only member, with ${count(bundles, 'bundle')} and ${count(keys, 'API key')}`}</span>
            </li>
          )}
        />
        <li>your name, email address and all sign-ins</li>
      </ul>
      {affected('kept').length > 0 && (
        <p>
          {'Bundles you created for '}
          <Names organizations={affected('kept')} />
          {' stay with its members. API keys you created for it stop working.'}
        </p>
      )}
      <Blocking organizations={blocking} />
      {blocking.length === 0 && proof === 'signInAgain' && (
        <p class="alert">
          To make sure it’s you, deleting your account needs a sign-in from the last 24 hours.{' '}
          <a href={attribute(toSignIn(routes.settings.delete.href()))} hx-boost="false">
            Sign in again
          </a>
          .
        </p>
      )}
      <p>
        <ExportLink site={site} label="Export your data" back={routes.settings.delete.href()} isPlain />
        {' first if you might need it.'}
      </p>
    </Confirm>
  )
}

function Names({ organizations }: { organizations: AffectedOrganization[] }): JSX.Element {
  return (
    <Each
      of={organizations}
      show={({ name }, index) => (
        <>
          {index === 0 ? '' : index === organizations.length - 1 ? ' and ' : ', '}
          <Name name={name} />
        </>
      )}
    />
  )
}

function Name({ name }: { name: string }): JSX.Element {
  return (
    <strong dir="auto" safe>
      {name}
    </strong>
  )
}

function Proof({ site, proof, typedEmail, errors }: Omit<DeleteAccountProps, 'takes'>) {
  const { email } = site.user
  return (
    <>
      <ConfirmByTyping name="email" value={typedEmail} error={errors.email}>
        <strong safe>{email}</strong>
      </ConfirmByTyping>
      {proof === 'password' && (
        <>
          <Username name={email} />
          <PasswordField autocomplete="current-password" error={errors.password} />
        </>
      )}
    </>
  )
}
