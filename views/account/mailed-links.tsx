/** @jsxImportSource @kitajs/html */

import { Alert } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { PasswordField } from './account-fields.tsx'

// The pages that mailed links lead to. Each says what its button will do, and to which account.

interface SignInLinkProps {
  site: Site
  /** Of the account that the link signs in to. */
  email: string
  /** Of the account that this browser is signed in to; null where it is signed out. */
  current: string | null
  /** Where to go afterwards. */
  next: string
}

/** Sign in by a mailed link; a browser that is signed in as somebody else is asked before it switches. */
export function SignInLinkPage({ site, email, current, next }: SignInLinkProps): JSX.Element {
  const isSwitch = current !== null && current !== email
  return (
    <Page site={site} title={`Sign in · ${site.name}`}>
      <section class="narrow">
        <h1 safe>{isSwitch ? 'Switch accounts?' : `Sign in to ${site.name}`}</h1>
        <p class="lede">
          {isSwitch ? (
            <>
              This browser is signed in as <strong safe>{current}</strong>. The link you opened signs it in as{' '}
              <strong safe>{email}</strong> instead.
            </>
          ) : (
            <>
              This signs your browser in as <strong safe>{email}</strong>.
            </>
          )}
        </p>
        <form method="post" class="send">
          <input type="hidden" name="next" value={attribute(next)} />
          <button type="submit" class="primary">
            {isSwitch ? 'Switch accounts' : 'Sign in'}
          </button>
          {isSwitch ? (
            <a class="button" href="/dashboard">
              Keep my account
            </a>
          ) : (
            ''
          )}
        </form>
        <p class="hint">The link works once. If you didn’t ask for it, close this page: nothing has happened.</p>
      </section>
    </Page>
  )
}

interface ConfirmAddressProps {
  site: Site
  email: string
  /** Whether this browser is signed in to the account. */
  isHolder: boolean
  /** Of the account that this browser is signed in to, if it is another. */
  current: string | null
  next: string
  error?: string | undefined
}

/** Confirm an address: by who is signed in to its account, or knows its password. */
export function ConfirmAddressPage({ site, email, isHolder, current, next, error }: ConfirmAddressProps): JSX.Element {
  return (
    <Page site={site} title={`Confirm your address · ${site.name}`}>
      <section class="narrow">
        <h1>Confirm your address</h1>
        {isHolder ? (
          <>
            <p class="lede">
              Confirm that <strong safe>{email}</strong> is yours.
            </p>
            <form method="post" class="send">
              <input type="hidden" name="next" value={attribute(next)} />
              <button type="submit" class="primary">
                Confirm the address
              </button>
            </form>
          </>
        ) : (
          <>
            <p class="lede">
              An account was created for <strong safe>{email}</strong>. If that was you, enter your password to confirm
              it{current === null ? '.' : ' and switch this browser to it.'}
            </p>
            {current === null ? (
              ''
            ) : (
              <p class="hint">
                You are signed in as <strong safe>{current}</strong>.
              </p>
            )}
            <Alert text={error} />
            <form class="card" method="post">
              {/* For password managers, which file passwords under it. */}
              <input type="hidden" autocomplete="username" value={attribute(email)} />
              <PasswordField autocomplete="current-password" error={undefined} />
              <input type="hidden" name="next" value={attribute(next)} />
              <div class="send">
                <button type="submit" class="primary">
                  Confirm and sign in
                </button>
              </div>
            </form>
            <form method="post" action="/sign-in/link">
              <input type="hidden" name="email" value={attribute(email)} />
              <input type="hidden" name="next" value={attribute(next)} />
              <p class="hint">
                Not you, or forgot the password? We can email you a sign-in link. Using it gives you the account and
                signs out whoever created it.
              </p>
              <p>
                <button type="submit">Mail me a sign-in link</button>
              </p>
            </form>
          </>
        )}
      </section>
    </Page>
  )
}

/** After an address was confirmed. */
export function AddressConfirmedPage({ site, email, next }: { site: Site; email: string; next: string }): JSX.Element {
  return (
    <Page site={site} title={`Address confirmed · ${site.name}`}>
      <section class="narrow">
        <h1>Address confirmed</h1>
        <p class="lede">
          <strong safe>{email}</strong> is confirmed.
        </p>
        <p>
          <a class="button primary" href={attribute(next)}>
            Continue
          </a>
        </p>
      </section>
    </Page>
  )
}
