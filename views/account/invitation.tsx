/** @jsxImportSource @kitajs/html */

import { Alert } from '../parts/fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { ConfirmationForm } from './confirm-notice.tsx'

/** An invitation, as shown. */
export interface Invitation {
  organizationName: string
  inviterEmail: string
  role: string
}

interface InvitationProps {
  site: Site
  invitation: Invitation
  path: string
  error: string | undefined
}

/** The page of an invitation into an organisation. */
export function InvitationPage({ site, invitation, path, error }: InvitationProps): JSX.Element {
  const { organizationName, inviterEmail, role } = invitation
  const article = role === 'viewer' ? 'a' : 'an'
  return (
    <Page site={site} title={`Join ${organizationName} · ${site.name}`}>
      <section class="narrow">
        <h1 safe>{`Join ${organizationName}`}</h1>
        <Alert text={error} />
        <p class="lede" safe>{`${inviterEmail} invited you to join as ${article} ${role}.`}</p>
        <form method="post" action={path} class="send">
          <button type="submit" class="primary">
            Accept invitation
          </button>
          <a class="button" href="/dashboard">
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

/** Shown instead of an invitation until the visitor's address is confirmed, because it was sent to that address. */
export function ConfirmFirstPage({ site, path }: ConfirmFirstProps): JSX.Element {
  return (
    <Page site={site} title={`Confirm your address · ${site.name}`}>
      <section class="narrow">
        <h1>Confirm your address first</h1>
        <p class="lede">
          Open the link we sent to <strong safe>{site.user?.email ?? ''}</strong> to show that the address is yours.
          Then you can accept your invitation.
        </p>
        <ConfirmationForm back={path} />
      </section>
    </Page>
  )
}

interface InvitationGoneProps {
  site: Site
  path: string
  /** The organisation, for someone who accepted this very invitation. */
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
            <a class="button primary" href={`/dashboard/organizations/${joined.id}`} safe>
              {`Go to ${joined.name}`}
            </a>
          </p>
        </section>
      </Page>
    )
  }
  return (
    <Page site={site} title={`This invitation isn’t available · ${site.name}`}>
      <section class="narrow">
        <h1>This invitation isn’t available</h1>
        <p class="lede">
          It may have expired or been revoked, or it was sent to an address other than{' '}
          <strong safe>{site.user?.email ?? ''}</strong>.
        </p>
        <p>If it was sent to another address of yours, switch accounts. Otherwise, ask for a new invitation.</p>
        <div class="send">
          <a class="button primary" href="/dashboard">
            Go to your dashboard
          </a>
          <a class="button" href={attribute(`/sign-in?as=other&next=${encodeURIComponent(path)}`)}>
            Switch accounts
          </a>
        </div>
      </section>
    </Page>
  )
}
