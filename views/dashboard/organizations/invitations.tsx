/** @jsxImportSource @kitajs/html */

import type { Invited } from '../../../src/accounts/organizations.ts'
import { routes } from '../../../src/core/routes.ts'
import { ROLES } from '../../../src/identity/caller.ts'
import { EmailField, Field } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import type { FormErrors } from '../parts/form.tsx'
import { Form, Panel } from '../parts/panel.tsx'
import { dateOf } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

export interface InviteForm {
  email: string
  role: string
  errors: FormErrors<'email'>
}

interface InviteProps {
  form: InviteForm
  /** The id of the organisation. */
  id: string
  /** Whether it has no other members yet. */
  isAlone: boolean
  /** Whether the visitor's address is confirmed, because invitations name it. */
  mayInvite: boolean
}

/** The form that invites a person by email. */
export function Invite({ form: { email, role, errors }, id, isAlone, mayInvite }: InviteProps): JSX.Element {
  const heading = 'Invite people'
  if (!mayInvite) {
    return (
      <Panel id="invite" heading={heading}>
        <p class="hint">Confirm your email address first: invitations are sent in your name.</p>
      </Panel>
    )
  }
  return (
    <Panel id="invite" heading={heading}>
      {isAlone && <p class="hint">It’s just you here so far. Whoever you invite gets an email with a link to join.</p>}
      <Form
        kind="inline"
        action={routes.organizations.organization.href({ id })}
        button="Send invitation"
        look="primary"
      >
        <EmailField email={email} error={errors.email} autocomplete="off" />
        <Field id="role" label="Role">
          <select id="role" name="role">
            <Each
              of={ROLES}
              show={(one) => (
                <option value={one} selected={one === role} safe>
                  {ROLE_WORDS[one].name}
                </option>
              )}
            />
          </select>
        </Field>
      </Form>
      <p class="hint" safe>
        {ROLES.map((one) => `${ROLE_WORDS[one].name}s ${ROLE_WORDS[one].does}.`).join(' ')}
      </p>
    </Panel>
  )
}

interface InvitationsProps {
  site: DashboardSite
  id: string
  invitations: Invited[]
}

/** Invitations that nobody has accepted yet. */
export function Invitations({ site, id, invitations }: InvitationsProps): JSX.Element {
  return (
    <Panel id="invitations" heading="Open invitations">
      <ul class="rows">
        <Each
          of={invitations}
          show={({ id: invitation, email, role, expiresAt }) => (
            <li class="row roomy">
              <div class="what">
                <span class="name">
                  <bdi safe>{email}</bdi>
                </span>
                <span class="hint" safe>{`Invited as ${ROLE_WORDS[role].one}, until ${dateOf(expiresAt)}`}</span>
              </div>
              <div class="actions">
                <button
                  type="button"
                  class="quiet"
                  data-text={`${site.origin}${routes.account.invitation.href({ id: invitation })}`}
                  aria-label={attribute(`Copy link for ${email}`)}
                >
                  <Icon name="copy" />
                  <span class="label">Copy link</span>
                </button>
                <Form
                  action={routes.organizations.cancelInvitation.href({ id, invitation })}
                  button="Revoke"
                  look="quiet"
                  label={`Revoke the invitation of ${email}`}
                />
              </div>
            </li>
          )}
        />
      </ul>
      <p class="hint">Only the invited address can use its link.</p>
    </Panel>
  )
}
