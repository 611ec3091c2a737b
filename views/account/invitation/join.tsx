/** @jsxImportSource @kitajs/html */

import type { Invitation } from '../../../src/accounts/organizations.ts'
import { routes } from '../../../src/core/routes.ts'
import { Alert, NameField, PasswordField, TextField } from '../../parts/fields.tsx'
import { attribute, Page, type Site } from '../../parts/layout.tsx'
import type { SignInMethods } from '../../parts/visitor.ts'
import { type AccountForm, OidcForm } from '../parts/sign-in.tsx'
import { InvitationWords } from './view.tsx'

interface JoinProps {
  site: Site
  methods: SignInMethods
  invitation: Invitation
  /** The path of the mailed link. */
  path: string
  /** The email address of another account in this browser's session; null for none. */
  current: string | null
  /** As typed. */
  name: string
  errors: AccountForm['errors']
}

/** The page of a mailed invitation: signs in to the account with its address, or creates it, and joins. */
export function JoinPage(props: JoinProps): JSX.Element {
  const { site, methods, invitation, path, current, errors } = props
  const hasAccount = invitation.account?.isVerified === true
  return (
    <Page site={site} title={`Join ${invitation.organization.name} · ${site.name}`} header="plain">
      <section class="narrow">
        <InvitationWords invitation={invitation} />
        {current !== null && (
          <p>
            You’re signed in as <strong safe>{current}</strong>, but this invitation is for{' '}
            <strong safe>{invitation.email}</strong>. Joining switches you to that account. To join with the account you
            have open, <a href={routes.bundles.list.href()}>stay signed in</a> and ask for an invitation to its address.
          </p>
        )}
        <Alert text={errors.form} />
        {invitation.account === null && methods.signUp === 'closed' ? (
          <p class="alert">
            You don’t have an account here yet, and sign-ups are closed. Ask your administrator for one, then open this
            link again.
          </p>
        ) : (
          <>
            {methods.hasOidc && <OidcForm next={path} />}
            {hasAccount ? <SignInToJoin {...props} /> : <SignUpToJoin {...props} />}
          </>
        )}
        <p class="hint">Don’t want to join? Close this page: nothing has changed.</p>
      </section>
    </Page>
  )
}

/** For a confirmed account with the address. */
function SignInToJoin({ methods, invitation, path, current, errors }: JoinProps): JSX.Element {
  const { email, organization } = invitation
  return (
    <form class="card" method="post" action={attribute(methods.hasPasswords ? path : routes.account.mailLink.href())}>
      <p>You already have an account with this address.</p>
      <InvitedAddress email={email} />
      <input type="hidden" name="next" value={attribute(path)} />
      <Switching current={current} />
      {methods.hasPasswords ? (
        <>
          <PasswordField autocomplete="current-password" error={errors.password} />
          <div class="send">
            <button type="submit" class="primary" safe>
              {`Sign in and join ${organization.name}`}
            </button>
            <button type="submit" formaction={routes.account.mailLink.href()} formnovalidate>
              Email me a link
            </button>
          </div>
        </>
      ) : (
        <div class="send">
          <button type="submit" class="primary">
            Email me a link
          </button>
        </div>
      )}
    </form>
  )
}

/** For an address without an account, or with an unconfirmed one. */
function SignUpToJoin({ site, methods, invitation, path, current, name, errors }: JoinProps): JSX.Element {
  const { email, organization, account } = invitation
  return (
    <form class="card" method="post" action={attribute(path)}>
      <InvitedAddress email={email} />
      <Switching current={current} />
      {account === null && <NameField note="optional" error={errors.name} value={name} autocomplete="name" />}
      {methods.hasPasswords && (
        <PasswordField
          label="Choose a password"
          autocomplete="new-password"
          error={errors.password}
          hint="Use at least 8 characters."
        />
      )}
      <div class="send">
        <button type="submit" class="primary" safe>
          {`Join ${organization.name}`}
        </button>
        <p class="hint" safe>
          {`This creates your account on ${site.name}.`}
        </p>
      </div>
    </form>
  )
}

/** The invited address: it can be read and copied, but is not taken from the form. */
function InvitedAddress({ email }: { email: string }): JSX.Element {
  return <TextField id="email" label="Email address" error={undefined} value={email} readonly autocomplete="username" />
}

/** Marks that the form warned about switching accounts. */
function Switching({ current }: { current: string | null }): JSX.Element {
  return current === null ? '' : <input type="hidden" name="as" value="other" />
}
