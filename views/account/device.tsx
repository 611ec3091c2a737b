/** @jsxImportSource @kitajs/html */

import type { Audience } from '../../db/rights.ts'
import type { Scope } from '../../src/identity/roles.ts'
import { Alert, TextField } from '../parts/fields.tsx'
import { attribute, Page, type SignedInUser, type Site } from '../parts/layout.tsx'
import { ActsFor, Afterwards, Decision, May } from './consent.tsx'

export const DEVICE_PATH = '/device'

type SignedInSite = Site & { user: SignedInUser }

/** Asks for the code that a device shows. @param typed what was typed before, if there is an error. */
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
  /** The code as it was typed. */
  code: string
  /** What the app on the device calls itself. */
  name: string
  /** Whether it is the service’s own command. */
  isOwn: boolean
  isFromHere: boolean
  scopes: readonly Scope[]
  audience: Audience
  error?: string | undefined
}

/** Asks whether a device may act for the visitor, or for an organisation. */
export function DeviceConsentPage(props: DeviceConsentProps): JSX.Element {
  const { site, code, name, isOwn, isFromHere, scopes, audience, error } = props
  const { user } = site
  return (
    <Page site={site} title={`Connect a device · ${site.name}`} script="consent.js">
      <section class="narrow consent">
        <h1>
          Connect <bdi safe>{name}</bdi>?
        </h1>
        <p class="lede">
          A device asks to use your account.{isOwn ? '' : ' Its app chose its name itself.'} Connect it only if you have
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
            Go back to it: it continues within a few seconds. It’s listed under <a href="/dashboard/keys">API keys</a>,
            where you can disconnect it.
          </p>
        ) : (
          <p class="lede">The device is told so, and its code is worth nothing any more.</p>
        )}
      </section>
    </Page>
  )
}
