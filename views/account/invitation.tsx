/** @jsxImportSource @kitajs/html */

import { ConfirmationForm } from '../dashboard/parts/proof.tsx'
import { Page, type Site } from '../parts/layout.tsx'

/** What is shown of an invitation. */
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
  return (
    <Page site={site} title={`Invitation to ${organizationName} · ${site.name}`}>
      <section class="narrow">
        <h1 safe>{`Join ${organizationName}`}</h1>
        {error === undefined ? (
          ''
        ) : (
          <p class="alert" role="alert" safe>
            {error}
          </p>
        )}
        <p class="lede" safe>{`${inviterEmail} invites you as ${role}.`}</p>
        <form method="post" action={path} class="send">
          <button type="submit" class="primary">
            Accept the invitation
          </button>
        </form>
      </section>
    </Page>
  )
}

interface ConfirmFirstProps {
  site: Site
  path: string
  /** What to do, in words. */
  says: string
}

/** In place of an invitation, for somebody whose address is not confirmed: it was sent to an address, not to a person. */
export function ConfirmFirstPage({ site, path, says }: ConfirmFirstProps): JSX.Element {
  return (
    <Page site={site} title={`Confirm your address · ${site.name}`}>
      <section class="narrow">
        <h1>Confirm your address first</h1>
        <p class="lede">An invitation is for whoever owns the address it was sent to.</p>
        <p safe>{says}</p>
        <ConfirmationForm back={path} />
      </section>
    </Page>
  )
}
