/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import { Alert, PasswordField, Username } from '../../parts/fields.tsx'
import { attribute, ConfirmationForm, Page, type SignedInUser, type Site } from '../../parts/layout.tsx'

// The pages of emailed links. Each describes the effect of its button, and the account.

interface SignInLinkProps {
  site: Site
  /** The address of the account that the link signs in to. */
  email: string
  /** The address of the account in this browser's session; null if signed out. */
  current: string | null
  /** The destination afterwards. */
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
          {isSwitch && (
            <a class="button" href={routes.bundles.list.href()} safe>
              {`Stay signed in as ${current}`}
            </a>
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
  /** The address of the account in this browser's session, if it is another one. */
  current: string | null
  /** Whether the service has password sign-in. */
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
            {current !== null && (
              <p class="hint">
                You’re signed in as <strong safe>{current}</strong>. Confirming switches you to this account.
              </p>
            )}
            <Alert text={error} />
            {hasPasswords && (
              <form class="card" method="post">
                <Username name={email} />
                <PasswordField autocomplete="current-password" error={undefined} />
                <input type="hidden" name="next" value={attribute(next)} />
                <div class="send">
                  <button type="submit" class="primary">
                    Confirm and sign in
                  </button>
                </div>
              </form>
            )}
            <form class="stack" method="post" action={routes.account.mailLink.href()}>
              <input type="hidden" name="email" value={attribute(email)} />
              <input type="hidden" name="next" value={attribute(next)} />
              <p class="hint">
                {hasPasswords && 'Didn’t sign up, or forgot your password? '}Email yourself a sign-in link. Using it
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
  [routes.account.claim.start, 'Continue to your bundle'],
  [routes.account.claims.href(), 'Continue to your bundle'],
  [routes.account.invitation.start, 'See your invitation'],
  [routes.bundles.list.href(), 'Go to your dashboard'],
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

/** The purpose of an emailed link that no longer works. */
const LINKS = {
  signIn: { text: 'Sign-in links work once, for 15 minutes.', another: 'Get a new sign-in link' },
  confirm: {
    text: 'Confirmation links work for 24 hours. Sign in and we can send you another.',
    another: 'Sign in',
  },
  password: {
    text: 'Password links work once, for an hour. Email yourself a sign-in link instead, then set a password in your settings.',
    another: 'Get a sign-in link',
  },
}

interface LinkExpiredProps {
  site: Site
  link: keyof typeof LINKS
  /** The original destination of the link. */
  next: string
}

/** The page of an expired, used or unknown emailed link, with a way to get another. */
export function LinkExpiredPage({ site, link, next }: LinkExpiredProps): JSX.Element {
  const user = site.user ?? null
  return (
    <Page site={site} title={`This link has expired · ${site.name}`}>
      <section class="narrow">
        <h1>This link has expired</h1>
        {user === null ? <SignedOut link={link} next={next} /> : <ResendLink user={user} link={link} next={next} />}
      </section>
    </Page>
  )
}

function SignedOut({ link, next }: Omit<LinkExpiredProps, 'site'>): JSX.Element {
  const { text, another } = LINKS[link]
  return (
    <>
      <p class="lede">It has already been used, or it’s too old.</p>
      <p safe>{text}</p>
      <p>
        <a class="button primary" href={`${routes.account.signIn.href()}?next=${encodeURIComponent(next)}`} safe>
          {another}
        </a>
      </p>
    </>
  )
}

/** For a signed-in visitor, who may not need another link. */
function ResendLink({ user, link, next }: Omit<LinkExpiredProps, 'site'> & { user: SignedInUser }): JSX.Element {
  const { email, emailVerified } = user
  const isDone = link === 'signIn' || (link === 'confirm' && emailVerified)
  return (
    <>
      <p class="lede" safe>
        {link === 'signIn'
          ? `You’re already signed in as ${email}.`
          : isDone
            ? `${email} is already confirmed.`
            : `It has already been used, or it’s too old. We can send another to ${email}.`}
      </p>
      <div class="send">
        {isDone ? (
          <a class="button primary" href={attribute(next)}>
            Continue
          </a>
        ) : link === 'confirm' ? (
          <ConfirmationForm back={next} />
        ) : (
          <form method="post" action={routes.settings.page.href()}>
            <input type="hidden" name="change" value="passwordMail" />
            <button type="submit" class="primary">
              Email me a new password link
            </button>
          </form>
        )}
      </div>
    </>
  )
}

interface NewPasswordProps {
  site: Site
  /** The address of the account that gets the password. */
  email: string
  error: string | undefined
}

/** The form for a new password, from an emailed link. */
export function NewPasswordPage({ site, email, error }: NewPasswordProps): JSX.Element {
  return (
    <Page site={site} title={`Choose a password · ${site.name}`}>
      <section class="narrow">
        <h1>Choose a password</h1>
        <p class="lede">
          For your account, <strong safe>{email}</strong>.
        </p>
        <form class="card" method="post">
          <Username name={email} />
          <PasswordField autocomplete="new-password" error={error} hint="Use at least 8 characters." />
          <div class="send">
            <button type="submit" class="primary">
              Set password
            </button>
          </div>
        </form>
        <p class="hint">This signs you out everywhere. You can then sign in with your new password.</p>
      </section>
    </Page>
  )
}

/** The page after a password was set by an emailed link. */
export function PasswordSetPage({ site }: { site: Site }): JSX.Element {
  return (
    <Page site={site} title={`Password changed · ${site.name}`}>
      <section class="narrow">
        <h1>Password changed</h1>
        <p class="lede">You’ve been signed out everywhere. Sign in with your new password.</p>
        <p>
          <a class="button primary" href={`${routes.account.signIn.href()}?next=/dashboard`}>
            Sign in
          </a>
        </p>
      </section>
    </Page>
  )
}
