/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import type { Invited, Member, OrganizationInFull } from '../../../src/identity/organizations.ts'
import { ROLES, type Role } from '../../../src/identity/roles.ts'
import { described, Field, FieldError } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ExportLink } from '../parts/proof.tsx'
import { type DashboardSite, Head, Monogram, personName } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'

/** The form of an invitation as it was sent, and what is wrong with it. */
export interface InviteForm {
  email: string
  role: string
  error: string
}

interface OrganizationProps {
  site: DashboardSite
  organization: OrganizationInFull
  /** Where it came back with an error. */
  invite?: InviteForm
  name?: { name: string; error: string }
}

const ROLE: Record<Role, { name: string; does: string; you: string }> = {
  viewer: { name: 'Viewer', does: 'sees bundles and insights', you: 'You see its bundles, versions and insights.' },
  editor: { name: 'Editor', does: 'makes and edits bundles', you: 'You make and edit its bundles.' },
  admin: { name: 'Admin', does: 'manages everything', you: 'You manage its bundles, members and keys.' },
}

/** One organisation: its members, and for admins all that can be done about them. */
export function OrganizationView({ site, organization, invite, name }: OrganizationProps): JSX.Element {
  const { id, role, members, invitations } = organization
  const { viewer } = site
  const isAdmin = role === 'admin'
  return (
    <>
      <Head title={organization.name} lede={`You are ${role}. ${ROLE[role].you}`}>
        {viewer.acting?.id === id ? (
          <span class="tag good">You act for it</span>
        ) : (
          <form method="post" action="/dashboard/subject">
            <button type="submit" name="organizationId" value={id}>
              Act for it
            </button>
          </form>
        )}
      </Head>
      <section class="titled" aria-labelledby="members">
        <h2 id="members" safe>
          {count(members.length, 'member')}
        </h2>
        <ul class="rows">
          {
            members.map((member) => (
              <MemberRow organization={organization} member={member} viewerId={viewer.userId} />
            )) as 'safe'[]
          }
        </ul>
      </section>
      {isAdmin ? (
        <>
          <Invite form={invite ?? { email: '', role: 'editor', error: '' }} id={id} />
          {invitations.length === 0 ? '' : <Invitations site={site} id={id} invitations={invitations} />}
          <NameForm organization={organization} form={name} />
        </>
      ) : (
        ''
      )}
      <Ends site={site} organization={organization} />
    </>
  )
}

interface MemberRowProps {
  organization: OrganizationInFull
  member: Member
  viewerId: string
}

function MemberRow({ organization, member, viewerId }: MemberRowProps): JSX.Element {
  const { email, role, userId, since } = member
  const isSelf = userId === viewerId
  const name = personName(member)
  return (
    <li class="row person">
      <Monogram text={name} />
      <div class="what">
        <span class="name">
          <bdi safe>{name}</bdi>
          {isSelf ? ' (you)' : ''}
        </span>
        <span class="hint where">
          {name === email ? '' : <bdi safe>{email}</bdi>}
          {name === email ? 'since ' : ' · since '}
          <When at={since} />
        </span>
      </div>
      <span class={['tag', role === 'admin' && 'good']}>{role as 'safe'}</span>
      {organization.role === 'admin' && !isOnlyAdmin(organization, member) ? (
        <MemberMenu organization={organization} member={member} isSelf={isSelf} />
      ) : (
        ''
      )}
    </li>
  )
}

function isOnlyAdmin({ members }: OrganizationInFull, member: Member): boolean {
  return member.role === 'admin' && members.filter(({ role }) => role === 'admin').length === 1
}

function MemberMenu({ organization, member, isSelf }: Omit<MemberRowProps, 'viewerId'> & { isSelf: boolean }) {
  const to = `/dashboard/organizations/${organization.id}/members/${member.id}`
  return (
    <details class="menu" name="menu">
      <summary class="quiet" aria-label={attribute(`Manage ${personName(member)}`)}>
        <Icon name="more" />
      </summary>
      <div class="pop">
        <form method="post" action={`${to}/role`}>
          {
            ROLES.filter((role) => role !== member.role).map((role) => (
              <button type="submit" class="item" name="role" value={role}>
                <span class="who">
                  <span class="name">{`Make ${role}` as 'safe'}</span>
                  <span class="hint">{ROLE[role].does as 'safe'}</span>
                </span>
              </button>
            )) as 'safe'[]
          }
        </form>
        {isSelf ? (
          ''
        ) : (
          <a class="item danger" href={`${to}/remove`}>
            <Icon name="trash" />
            Remove…
          </a>
        )}
      </div>
    </details>
  )
}

function Invite({ form: { email, role, error }, id }: { form: InviteForm; id: string }): JSX.Element {
  const shown = error === '' ? undefined : error
  return (
    <section class="panel" aria-labelledby="invite">
      <h2 id="invite">Invite somebody</h2>
      <form class="inline" method="post" action={`/dashboard/organizations/${id}`}>
        <Field id="email" label="E-mail address" error={shown}>
          <input
            id="email"
            name="email"
            type="email"
            required
            maxlength="254"
            autocomplete="off"
            value={attribute(email)}
            {...described('email', shown)}
          />
        </Field>
        <Field id="role" label="Role">
          <select id="role" name="role">
            {
              ROLES.map((one) => (
                <option value={one} selected={one === role}>
                  {ROLE[one].name as 'safe'}
                </option>
              )) as 'safe'[]
            }
          </select>
        </Field>
        <button type="submit" class="primary">
          Send the invitation
        </button>
      </form>
      <p class="hint">{ROLES.map((one) => `${ROLE[one].name}: ${ROLE[one].does}.`).join(' ') as 'safe'}</p>
    </section>
  )
}

interface InvitationsProps {
  site: DashboardSite
  id: string
  invitations: Invited[]
}

function Invitations({ site, id, invitations }: InvitationsProps): JSX.Element {
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

function NameForm({ organization, form }: { organization: OrganizationInFull; form: OrganizationProps['name'] }) {
  return (
    <section class="panel" aria-labelledby="called">
      <h2 id="called">Name</h2>
      <form class="inline" method="post" action={`/dashboard/organizations/${organization.id}`}>
        <div class="field">
          <label for="name" class="said">
            Name of the organisation
          </label>
          <input
            id="name"
            dir="auto"
            name="name"
            required
            maxlength="100"
            autocomplete="organization"
            value={attribute(form?.name ?? organization.name)}
            {...described('name', form?.error)}
          />
          <FieldError id="name" error={form?.error} />
        </div>
        <button type="submit">Save the name</button>
      </form>
    </section>
  )
}

/** What ends something, and what is taken along. */
function Ends({ site, organization }: Pick<OrganizationProps, 'site' | 'organization'>): JSX.Element {
  const { id, role, members } = organization
  const isAdmin = role === 'admin'
  const isLast = isAdmin && members.filter((one) => one.role === 'admin').length === 1
  return (
    <section class="panel" aria-labelledby="ends">
      <h2 id="ends">{isAdmin ? 'Data, leaving and deleting' : 'Leaving'}</h2>
      {isLast ? (
        <p class="hint">You are the only admin: to leave, make another member admin first.</p>
      ) : isAdmin ? (
        ''
      ) : (
        <p class="hint">What you made for the organisation stays with it.</p>
      )}
      <div class="actions">
        {isAdmin ? (
          <ExportLink
            site={site}
            organizationId={id}
            label="Export all its data"
            back={`/dashboard/organizations/${id}`}
          />
        ) : (
          ''
        )}
        {isLast ? (
          ''
        ) : (
          <a class="button" href={`/dashboard/organizations/${id}/leave`}>
            Leave…
          </a>
        )}
        {isAdmin ? (
          <a class="button danger" href={`/dashboard/organizations/${id}/delete`}>
            Delete…
          </a>
        ) : (
          ''
        )}
      </div>
    </section>
  )
}
