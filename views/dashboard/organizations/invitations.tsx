/** @jsxImportSource @kitajs/html */

import type { Invited } from '../../../src/identity/organizations.ts'
import { ROLES } from '../../../src/identity/roles.ts'
import { EmailField } from '../../parts/email-field.tsx'
import { Field } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { ROLE_WORDS } from './role-words.ts'

/** The form of an invitation as it was sent, and what is wrong with it. */
export interface InviteForm {
  email: string
  role: string
  error: string
}

/** Invites somebody by their address. */
export function Invite({ form: { email, role, error }, id }: { form: InviteForm; id: string }): JSX.Element {
  const shown = error === '' ? undefined : error
  return (
    <section class="panel" aria-labelledby="invite">
      <h2 id="invite">Invite somebody</h2>
      <form class="inline" method="post" action={`/dashboard/organizations/${id}`}>
        <EmailField email={email} error={shown} autocomplete="off" />
        <Field id="role" label="Role">
          <select id="role" name="role">
            {
              ROLES.map((one) => (
                <option value={one} selected={one === role}>
                  {ROLE_WORDS[one].name as 'safe'}
                </option>
              )) as 'safe'[]
            }
          </select>
        </Field>
        <button type="submit" class="primary">
          Send the invitation
        </button>
      </form>
      <p class="hint">{ROLES.map((one) => `${ROLE_WORDS[one].name}: ${ROLE_WORDS[one].does}.`).join(' ') as 'safe'}</p>
    </section>
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
    <section class="titled" aria-labelledby="invitations">
      <h2 id="invitations">Open invitations</h2>
      <ul class="rows">
        {
          invitations.map(({ id: invitation, email, role, expiresAt }) => (
            <li class="row roomy">
              <div class="what">
                <span class="name">
                  <bdi safe>{email}</bdi>
                </span>
                <span class="hint" safe>{`as ${role}, open until ${day.format(expiresAt)}`}</span>
              </div>
              <div class="actions">
                <button
                  type="button"
                  class="quiet"
                  data-text={`${site.origin}/invitations/${invitation}`}
                  aria-label={attribute(`Copy link for ${email}`)}
                >
                  <Icon name="copy" />
                  <span class="label">Copy link</span>
                </button>
                <form method="post" action={`/dashboard/organizations/${id}/invitations/${invitation}/cancel`}>
                  <button type="submit" class="quiet" aria-label={attribute(`Take back the invitation of ${email}`)}>
                    Take back
                  </button>
                </form>
              </div>
            </li>
          )) as 'safe'[]
        }
      </ul>
      <p class="hint">A link works only for whoever is signed in with its address, once that address is confirmed.</p>
    </section>
  )
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
