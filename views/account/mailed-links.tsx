/** @jsxImportSource @kitajs/html */

import { PasswordField } from '../parts/account-fields.tsx'
import { Alert } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

// The pages behind emailed links. Each says what its button will do, and to which account.

interface SignInLinkProps {
  site: Site
  /** Of the account that the link signs in to. */
  email: string
  /** Of the account that this browser is signed in to; null if signed out. */
  current: string | null
  /** Where to go afterwards. */
  next: string
}

/** Sign-in by an emailed link; asks first if the browser is signed in to another account. */
export function SignInLinkPage({ site, email, current, next }: SignInLinkProps): JSX.Element {
  const isSwitch = current !== null && current !== email
  return (
    <Page site={site} title={`Sign in · ${site.name}`}>
      <section class="narrow">
        <h1 safe>{isSwitch ? 'Switch accounts?' : `Sign in to ${site.name}`}</h1>
        <p class="lede">
          {isSwitch ? (
            <>
              You’re signed in as <strong safe>{current}</strong>. This link signs you in as{' '}
              <strong safe>{email}</strong> instead.
            </>
          ) : (
            <>
              You’ll be signed in as <strong safe>{email}</strong>.
            </>
          )}
        </p>
        <form method="post" class="send">
          <input type="hidden" name="next" value={attribute(next)} />
          <button type="submit" class="primary">
            {isSwitch ? 'Switch accounts' : 'Sign in'}
          </button>
          {isSwitch ? (
            <a class="button" href="/dashboard" safe>
              {`Stay signed in as ${current}`}
            </a>
          ) : (
            ''
          )}
        </form>
        <p class="hint">This link works once. Didn’t ask for it? Just close this page.</p>
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
  /** Whether people sign in with passwords here. */
  hasPasswords: boolean
  next: string
  error?: string | undefined
}

/** Confirms an address, for a visitor who is signed in to its account or knows its password. */
export function ConfirmAddressPage(props: ConfirmAddressProps): JSX.Element {
  const { site, email, isHolder, current, hasPasswords, next, error } = props
  return (
    <Page site={site} title={`Confirm ${email} · ${site.name}`}>
      <section class="narrow">
        <h1>
          Confirm <bdi safe>{email}</bdi>
        </h1>
        {isHolder ? (
          <form method="post" class="send">
            <input type="hidden" name="next" value={attribute(next)} />
            <button type="submit" class="primary">
              Confirm
            </button>
          </form>
        ) : (
          <>
            <p class="lede">
              {hasPasswords
                ? 'Someone signed up with this address. If it was you, enter your password.'
                : 'Someone signed up with this address. If it was you, sign in with an emailed link: that confirms it.'}
            </p>
            {current === null ? (
              ''
            ) : (
              <p class="hint">
                You’re signed in as <strong safe>{current}</strong>. Confirming switches you to this account.
              </p>
            )}
            <Alert text={error} />
            {hasPasswords ? (
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
            ) : (
              ''
            )}
            <form class="stack" method="post" action="/sign-in/link">
              <input type="hidden" name="email" value={attribute(email)} />
              <input type="hidden" name="next" value={attribute(next)} />
              <p class="hint">
                {hasPasswords ? 'Didn’t sign up, or forgot your password? ' : ''}Email yourself a sign-in link. Using it
                makes the account yours and signs out anyone else.
              </p>
              <p>
                <button type="submit">Email me a link</button>
              </p>
            </form>
          </>
        )}
      </section>
    </Page>
  )
}

/** The label of the next step after confirming an address, by the prefix of its path. */
const ONWARD = [
  ['/claim', 'Continue to your bundle'],
  ['/invitations/', 'See your invitation'],
  ['/dashboard', 'Go to your dashboard'],
] as const

export function AddressConfirmedPage({ site, email, next }: { site: Site; email: string; next: string }): JSX.Element {
  const [, label] = ONWARD.find(([path]) => next.startsWith(path)) ?? ['', 'Continue']
  return (
    <Page site={site} title={`Address confirmed · ${site.name}`}>
      <section class="narrow">
        <h1>Address confirmed</h1>
        <p class="lede">
          Thanks! <strong safe>{email}</strong> is confirmed.
        </p>
        <p>
          <a class="button primary" href={attribute(next)}>
            {label}
          </a>
        </p>
      </section>
    </Page>
  )
}
