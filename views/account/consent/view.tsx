/** @jsxImportSource @kitajs/html */
import { escapeHtml } from '@kitajs/html'
import type { Audience } from '../../../db/rights.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Scope } from '../../../src/identity/caller.ts'
import { Alert, TextField } from '../../parts/fields.tsx'
import { attribute, ConfirmationForm, Each, Page, type SignedInUser, type Site } from '../../parts/layout.tsx'

/** An app that requests access, for display. */
interface AskingApp {
  name: string
  /** The host that publishes its metadata document; null if the app chose its name itself. */
  publisher: string | null
  /** The destination of the redirect: a host, or an app’s own scheme. */
  host: string
  /** The id of the browser extension that gets the redirect; null if a site or a program does. */
  extension: string | null
  isOnThisComputer: boolean
}

interface ConsentProps {
  site: Site & { user: SignedInUser }
  app: AskingApp
  scopes: readonly Scope[]
  audience: Audience
  /** The path of this page, with the app's request. */
  path: string
  error?: string | undefined
}

/** The permissions in each scope. */
const MAY = {
  'links:read': 'See bundles, their versions and insights',
  'links:propose': 'Suggest edits, which you or an editor accept or reject',
  'links:write': 'Create, edit, delete, restore and claim bundles',
  'webhooks:write':
    'Create and manage webhooks, which send what happens to your bundles elsewhere, and keep working after you disconnect it',
  'keys:admin':
    'Create and revoke API keys, and webhooks, which send what happens to your bundles elsewhere: both keep working after you disconnect it. Invite and remove members of an organisation that you administer. Export all data',
} as const satisfies Record<Scope, string>

/** Asks whether an app may act for the visitor or an organisation. Nothing happens before a button is pressed. */
export function ConsentPage({ site, app, scopes, audience, path, error }: ConsentProps): JSX.Element {
  const { user } = site
  const { name } = app
  return (
    <Page site={site} title={`Connect an app · ${site.name}`} script="consent.js" styles="consent.css">
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
            {app.publisher !== null && (
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
                <Destination app={app} />
                {app.isOnThisComputer && ', an app on this computer'}
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

/** Where the browser goes after the decision. */
function Destination({ app: { host, extension } }: { app: AskingApp }): JSX.Element {
  return (
    <>
      {extension !== null && 'The extension in your browser with the id '}
      <strong dir="ltr" safe>
        {extension ?? host}
      </strong>
    </>
  )
}

/** A reason to distrust an app, and when to connect it anyway. */
function Doubt({ app }: { app: AskingApp }): JSX.Element {
  const doubt =
    app.publisher === null
      ? 'It chose its name itself'
      : app.isOnThisComputer
        ? 'Any program on this computer can say that it is this app'
        : 'We know where it comes from, not what it will do'
  return <>{escapeHtml(`${doubt}, so connect it only if you have just started this from an app that you trust.`)}</>
}

/** The permissions of a connected app, as an entry of a description list. */
function May({ scopes, audience }: Pick<ConsentProps, 'scopes' | 'audience'>): JSX.Element {
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

/** The choice of the subject that an app acts for. */
function ActsFor({ user }: { user: SignedInUser }): JSX.Element {
  // Only admins create and revoke the keys of an organisation.
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
function Decision(): JSX.Element {
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

/** How to revoke the decision later, or switch accounts. @param path the destination with another account. */
function Afterwards({ user, path }: { user: SignedInUser; path: string }): JSX.Element {
  return (
    <p class="hint">
      You can disconnect it at any time under API keys. Not <bdi safe>{user.email}</bdi>?{' '}
      <a href={attribute(`${routes.account.signIn.href()}?as=other&next=${encodeURIComponent(path)}`)}>
        Switch accounts
      </a>
    </p>
  )
}

/** The page before the return to the app; browsers continue automatically. */
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
          Taking you back to <strong safe>{nameOf(app)}</strong>. If nothing happens, continue here; then you can close
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

/** Where an app is, in a few words. */
function nameOf({ host, extension }: AskingApp): string {
  return extension === null ? host : 'the extension'
}

/** For a request that cannot be granted; returning to the app reports the reason. */
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
              Back to <bdi safe>{nameOf(app)}</bdi>
            </span>
          </a>
        </p>
      </section>
    </Page>
  )
}

/** Replaces the consent page until the visitor's address is confirmed. */
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

export const DEVICE_PATH = routes.account.device.href()

type SignedInSite = Site & { user: SignedInUser }

/** Asks for the code on a device's display. @param typed the typed code, if it was refused. */
export function DevicePage({
  site,
  typed,
  error,
}: {
  site: SignedInSite
  typed: string
  error?: string | undefined
}): JSX.Element {
  return (
    <Page site={site} title={`Connect a device · ${site.name}`}>
      <section class="narrow">
        <h1>Connect a device</h1>
        <p class="lede">
          Enter the code that the device shows: a server, or another computer where you have just started to sign in.
        </p>
        <form class="card" method="post" action={DEVICE_PATH}>
          <TextField
            id="code"
            label="Code"
            value={typed}
            error={error}
            required
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            maxlength="40"
            placeholder="BCDF-GHJK"
          />
          <div class="send">
            <button type="submit" class="primary">
              Continue
            </button>
          </div>
        </form>
        <p class="hint">Never enter a code that somebody sent you: whoever sent it would get into your account.</p>
      </section>
    </Page>
  )
}

interface DeviceConsentProps {
  site: SignedInSite
  /** The code as typed. */
  code: string
  /** The app's own name for itself. */
  name: string
  /** Whether it is the service’s own command-line program. */
  isOwn: boolean
  isFromHere: boolean
  scopes: readonly Scope[]
  audience: Audience
  error?: string | undefined
}

/** Asks whether a device may act for the visitor or an organisation. */
export function DeviceConsentPage(props: DeviceConsentProps): JSX.Element {
  const { site, code, name, isOwn, isFromHere, scopes, audience, error } = props
  const { user } = site
  return (
    <Page site={site} title={`Connect a device · ${site.name}`} script="consent.js" styles="consent.css">
      <section class="narrow consent">
        <h1>
          Connect <bdi safe>{name}</bdi>?
        </h1>
        <p class="lede">
          A device asks to use your account.{!isOwn && ' Its app chose its name itself.'} Connect it only if you have
          just started this on it, and read the code there yourself.
        </p>
        <Alert text={error} />
        <form class="card" method="post" action={DEVICE_PATH}>
          <dl>
            <div>
              <dt class="hint">It asked from</dt>
              <dd>
                {isFromHere ? (
                  'Your network'
                ) : (
                  <>
                    <strong>Another network than yours.</strong> That is usual for a server
                  </>
                )}
              </dd>
            </div>
            <May scopes={scopes} audience={audience} />
          </dl>
          <ActsFor user={user} />
          <input type="hidden" name="code" value={attribute(code)} />
          <Decision />
        </form>
        <Afterwards user={user} path={DEVICE_PATH} />
      </section>
    </Page>
  )
}

export function DeviceDecidedPage({ site, isConnected }: { site: SignedInSite; isConnected: boolean }): JSX.Element {
  const title = isConnected ? 'Device connected' : 'Device not connected'
  return (
    <Page site={site} title={`${title} · ${site.name}`}>
      <section class="narrow">
        <h1>{title}</h1>
        {isConnected ? (
          <p class="lede">
            Go back to it: it continues within a few seconds. It’s listed under{' '}
            <a href={routes.keys.list.href()}>API keys</a>, where you can disconnect it.
          </p>
        ) : (
          <p class="lede">The device is told so, and its code is worth nothing any more.</p>
        )}
      </section>
    </Page>
  )
}
