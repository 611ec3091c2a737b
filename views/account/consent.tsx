/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Audience } from '../../db/rights.ts'
import type { Scope } from '../../src/identity/roles.ts'
import { Each } from '../parts/each.tsx'
import { Alert } from '../parts/fields.tsx'
import { attribute, Page, type SignedInUser, type Site } from '../parts/layout.tsx'
import { ConfirmationForm } from './confirm-notice.tsx'

/** An app that asks, as the page shows it. */
interface AskingApp {
  name: string
  /** The host whose document says so; null if the app chose its name itself. */
  publisher: string | null
  /** Where the browser goes next: a host, or an app’s own scheme. */
  host: string
  isOnThisComputer: boolean
}

interface ConsentProps {
  site: Site & { user: SignedInUser }
  app: AskingApp
  scopes: readonly Scope[]
  audience: Audience
  /** The path of this page, with what the app asks. */
  path: string
  error?: string | undefined
}

/** What each scope lets an app do. */
const MAY = {
  'links:read': 'See bundles, their versions and insights',
  'links:propose': 'Suggest edits, which you or an editor accept or reject',
  'links:write': 'Create, edit, delete, restore and claim bundles',
  'webhooks:write':
    'Create and manage webhooks, which send what happens to your bundles elsewhere, and keep working after you disconnect it',
  'keys:admin':
    'Create and revoke API keys, and webhooks, which send what happens to your bundles elsewhere: both keep working after you disconnect it. Export all data',
} as const satisfies Record<Scope, string>

/** Asks whether an app may act for the visitor, or for an organisation. Nothing happens before a button is pressed. */
export function ConsentPage({ site, app, scopes, audience, path, error }: ConsentProps): JSX.Element {
  const { user } = site
  const { name, host } = app
  return (
    <Page site={site} title={`Connect an app · ${site.name}`} script="consent.js">
      <section class="narrow consent">
        <h1>
          Connect <bdi safe>{name}</bdi>?
        </h1>
        <p class="lede">
          An app asks to use your account. <Doubt app={app} />
        </p>
        <Alert text={error} />
        <form class="card" method="post" action={attribute(path)}>
          <dl>
            {app.publisher === null ? (
              ''
            ) : (
              <div>
                <dt class="hint">Published by</dt>
                <dd>
                  <strong dir="ltr" safe>
                    {app.publisher}
                  </strong>
                </dd>
              </div>
            )}
            <div>
              <dt class="hint">You’ll be sent to</dt>
              <dd>
                <strong dir="ltr" safe>
                  {host}
                </strong>
                {app.isOnThisComputer ? ', an app on this computer' : ''}
              </dd>
            </div>
            <May scopes={scopes} audience={audience} />
          </dl>
          <ActsFor user={user} />
          <Decision />
        </form>
        <Afterwards user={user} path={path} />
      </section>
    </Page>
  )
}

/** What speaks against an app, and when to connect it all the same. */
function Doubt({ app }: { app: AskingApp }): JSX.Element {
  const doubt =
    app.publisher === null
      ? 'It chose its name itself'
      : app.isOnThisComputer
        ? 'Any program on this computer can say that it is this app'
        : 'We know where it comes from, not what it will do'
  return <>{escapeHtml(`${doubt}, so connect it only if you have just started this from an app that you trust.`)}</>
}

/** What an app may do once it is connected, as an entry of a description list. */
export function May({ scopes, audience }: Pick<ConsentProps, 'scopes' | 'audience'>): JSX.Element {
  return (
    <div>
      <dt class="hint">{audience === 'mcp' ? 'It may, as an AI agent over MCP' : 'It may'}</dt>
      <dd>
        <ul>
          <Each
            of={scopes}
            show={(scope) => (
              <li>
                {MAY[scope]} <code>{scope}</code>
              </li>
            )}
          />
        </ul>
      </dd>
    </div>
  )
}

/** Whom an app is to act for. */
export function ActsFor({ user }: { user: SignedInUser }): JSX.Element {
  // An organisation's keys are its admins' to make and to revoke.
  const organizations = user.organizations.filter(({ role }) => role === 'admin')
  return (
    <fieldset class="field">
      <legend>For</legend>
      <label class="choice">
        <input type="radio" name="subject" value="" required checked={user.acting === null} />
        <span>
          Yourself, <bdi safe>{user.email}</bdi>
        </span>
      </label>
      <Each
        of={organizations}
        show={({ id, name: organization }) => (
          <label class="choice">
            <input type="radio" name="subject" value={attribute(id)} required checked={user.acting?.id === id} />
            <span>
              The organisation <bdi safe>{organization}</bdi>
            </span>
          </label>
        )}
      />
    </fieldset>
  )
}

/** The two buttons of a decision. */
export function Decision(): JSX.Element {
  return (
    <div class="send">
      <button type="submit" class="primary" name="decision" value="connect">
        Connect
      </button>
      <button type="submit" name="decision" value="cancel" formnovalidate>
        Cancel
      </button>
    </div>
  )
}

/** What can be done about it later, and by whom. @param path where to continue with another account. */
export function Afterwards({ user, path }: { user: SignedInUser; path: string }): JSX.Element {
  return (
    <p class="hint">
      You can disconnect it at any time under API keys. Not <bdi safe>{user.email}</bdi>?{' '}
      <a href={attribute(`/sign-in?as=other&next=${encodeURIComponent(path)}`)}>Switch accounts</a>
    </p>
  )
}

/** On the way back to the app; browsers continue by themselves. */
export function BackToAppPage({
  site,
  url,
  app,
  isConnected,
}: {
  site: Site
  url: string
  app: AskingApp
  isConnected: boolean
}): JSX.Element {
  const title = isConnected ? 'App connected' : 'App not connected'
  return (
    <Page site={site} title={`${title} · ${site.name}`}>
      <section class="narrow">
        <h1>{title}</h1>
        <p class="lede">
          Taking you back to <strong safe>{app.host}</strong>. If nothing happens, continue here; then you can close
          this page.
        </p>
        <p>
          <a class="button primary" href={attribute(url)}>
            Continue
          </a>
        </p>
      </section>
    </Page>
  )
}

/** For a request that cannot be granted: the way back to the app tells it why. */
export function RefusedAppPage({
  site,
  url,
  app,
  message,
}: {
  site: Site
  url: string
  app: AskingApp
  message: string
}): JSX.Element {
  return (
    <Page site={site} title={`App not connected · ${site.name}`}>
      <section class="narrow">
        <h1>App not connected</h1>
        <p class="lede" safe>
          {message}
        </p>
        <p>
          <a class="button" href={attribute(url)} rel="noreferrer">
            <span>
              Back to <bdi safe>{app.host}</bdi>
            </span>
          </a>
        </p>
      </section>
    </Page>
  )
}

/** Shown instead until the visitor's address is confirmed. */
export function ConfirmBeforeConnectingPage({ site, path }: { site: Site; path: string }): JSX.Element {
  return (
    <Page site={site} title={`Confirm your address · ${site.name}`}>
      <section class="narrow">
        <h1>Confirm your address first</h1>
        <p class="lede">
          Apps act on your behalf, so we need to know that <strong safe>{site.user?.email ?? ''}</strong> is yours. Open
          the link we sent you, which can take a few minutes, then connect the app.
        </p>
        <ConfirmationForm back={path} />
      </section>
    </Page>
  )
}
