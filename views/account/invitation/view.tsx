/** @jsxImportSource @kitajs/html */

import type { Invitation } from '../../../src/accounts/organizations.ts'
import { routes } from '../../../src/core/routes.ts'
import { minuteOf } from '../../../src/core/time.ts'
import { ExactTime } from '../../parts/exact-time.tsx'
import { Alert } from '../../parts/fields.tsx'
import { attribute, ConfirmationForm, Page, type Site } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'

/** The inviter, the organisation, the role and the expiry of an invitation. */
export function InvitationWords({ invitation }: { invitation: Invitation }): JSX.Element {
  const { inviter, organization, role, expiresAt } = invitation
  const { one, you } = ROLE_WORDS[role]
  return (
    <>
      <h1 dir="auto" safe>{`Join ${organization.name}`}</h1>
      <p class="lede">
        {inviter.name.trim() === '' ? (
          <bdi safe>{inviter.email}</bdi>
        ) : (
          <>
            <bdi safe>{inviter.name}</bdi> (<bdi safe>{inviter.email}</bdi>)
          </>
        )}{' '}
        invited you to <bdi safe>{organization.name}</bdi> <span safe>{`as ${one}. ${you}`}</span>
      </p>
      <p class="hint">
        The invitation is open until <ExactTime at={minuteOf(expiresAt)} />.
      </p>
    </>
  )
}

interface InvitationProps {
  site: Site
  invitation: Invitation
  path: string
  error: string | undefined
}

/** The invitation page for a visitor who is signed in with its address. */
export function InvitationPage({ site, invitation, path, error }: InvitationProps): JSX.Element {
  const title = `Join ${invitation.organization.name}`
  return (
    <Page site={site} title={`${title} · ${site.name}`}>
      <section class="narrow">
        <InvitationWords invitation={invitation} />
        <Alert text={error} />
        <form method="post" action={attribute(path)} class="send">
          <button type="submit" class="primary" safe>
            {title}
          </button>
          <a class="button" href={routes.bundles.list.href()}>
            Not now
          </a>
        </form>
      </section>
    </Page>
  )
}

interface ConfirmFirstProps {
  site: Site
  path: string
}

/** Replaces an invitation until the visitor's address is confirmed, because it was sent to that address. */
export function ConfirmFirstPage({ site, path }: ConfirmFirstProps): JSX.Element {
  return (
    <Page site={site} title={`Confirm your address · ${site.name}`}>
      <section class="narrow">
        <h1>Confirm your address first</h1>
        <p class="lede">
          Open the link we sent to <strong safe>{site.user?.email ?? ''}</strong> to show that the address is yours. It
          can take a few minutes. Then you can accept your invitation.
        </p>
        <ConfirmationForm back={path} />
      </section>
    </Page>
  )
}

/** The page of an accepted invitation, for visitors not signed in as the person who accepted it. */
export function InvitationUsedPage({ site, invitation }: { site: Site; invitation: Invitation }): JSX.Element {
  const { organization, email } = invitation
  return (
    <Page site={site} title={`You’ve joined ${organization.name} · ${site.name}`}>
      <section class="narrow">
        <h1 dir="auto" safe>{`You’ve joined ${organization.name}`}</h1>
        <p class="lede">
          This invitation was accepted by <strong safe>{email}</strong>. Sign in with that address to see the bundles.
        </p>
        <p>
          <a class="button primary" href={`${routes.account.signIn.href()}?as=other&next=/dashboard`}>
            Sign in
          </a>
        </p>
      </section>
    </Page>
  )
}

interface InvitationGoneProps {
  site: Site
  path: string
  /** The organisation, for the visitor who accepted this invitation. */
  joined: { id: string; name: string } | null
}

/** The page of an invitation that this visitor, or nobody, can accept; it does not reveal which. */
export function InvitationGonePage({ site, path, joined }: InvitationGoneProps): JSX.Element {
  if (joined !== null) {
    return (
      <Page site={site} title={`You’re a member of ${joined.name} · ${site.name}`}>
        <section class="narrow">
          <h1 safe>{`You’re a member of ${joined.name}`}</h1>
          <p class="lede">You’ve already accepted this invitation.</p>
          <p>
            <a class="button primary" href={routes.organizations.organization.href({ id: joined.id })} safe>
              {`Go to ${joined.name}`}
            </a>
          </p>
        </section>
      </Page>
    )
  }
  const { user } = site
  return (
    <Page site={site} title={`This invitation isn’t available · ${site.name}`}>
      <section class="narrow">
        <h1>This invitation isn’t available</h1>
        {user == null ? (
          <>
            <p class="lede">It may have expired or been revoked, or a newer email has replaced it.</p>
            <p>Open the link in the newest email. Otherwise, ask whoever invited you for a new invitation.</p>
            <div class="send">
              <a class="button primary" href={`${routes.account.signIn.href()}?next=/dashboard`}>
                Sign in
              </a>
            </div>
          </>
        ) : (
          <>
            <p class="lede">
              It may have expired or been revoked, a newer email may have replaced it, or it was sent to an address
              other than <strong safe>{user.email}</strong>.
            </p>
            <p>If it was sent to another address of yours, switch accounts. Otherwise, ask for a new invitation.</p>
            <div class="send">
              <a class="button primary" href={routes.bundles.list.href()}>
                Go to your dashboard
              </a>
              <a
                class="button"
                href={attribute(`${routes.account.signIn.href()}?as=other&next=${encodeURIComponent(path)}`)}
              >
                Switch accounts
              </a>
            </div>
          </>
        )}
      </section>
    </Page>
  )
}
