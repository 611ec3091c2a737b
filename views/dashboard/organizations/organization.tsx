/** @jsxImportSource @kitajs/html */

import type { OrganizationInFull } from '../../../src/accounts/organizations.ts'
import { count } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, NameField } from '../../parts/fields.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { ChecksPanel } from '../parts/checks-panel.tsx'
import type { FormErrors } from '../parts/form.tsx'
import { Form, Panel } from '../parts/panel.tsx'
import { ExportLink } from '../parts/proof.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { TabbedSheet } from '../parts/tabs.tsx'
import { Invitations, Invite, type InviteForm } from './invitations.tsx'
import { MemberRow } from './members.tsx'

interface OrganizationProps {
  site: DashboardSite
  organization: OrganizationInFull
  /** Whether its links are looked at; null for who cannot switch that. */
  isChecked: boolean | null
  /** The submitted form, if it was refused. */
  invite?: InviteForm
  name?: { name: string; errors: NameErrors }
}

export type NameErrors = FormErrors<'name'>

/** An organisation: its members, and for admins the actions on them. */
export function OrganizationView({ site, organization, isChecked, invite, name }: OrganizationProps): JSX.Element {
  const { id, role, members, invitations } = organization
  const { user } = site
  const isAdmin = role === 'admin'
  const pages = organizationPages(id)
  return (
    <>
      <Head title={organization.name} lede={`You’re ${ROLE_WORDS[role].one}. ${ROLE_WORDS[role].you}`}>
        {allowsRole(role, 'editor') ? (
          <a class="button" href={`/dashboard/organizations/${id}/move`}>
            Move bundles here
          </a>
        ) : (
          ''
        )}
        {user.acting?.id === id ? (
          <span class="tag good">Current workspace</span>
        ) : (
          <Form action="/dashboard/subject" button="Switch to this workspace" name="organizationId" value={id} />
        )}
      </Head>
      <TabbedSheet label="This organisation" pages={isAdmin ? pages : pages.slice(0, 1)} at={pages[0].href}>
        <Alert text={invite?.errors.form ?? name?.errors.form} />
        <Panel id="members" heading={count(members.length, 'member')}>
          <ul class="rows">
            <Each
              of={members}
              show={(member) => <MemberRow organization={organization} member={member} currentUserId={user.userId} />}
            />
          </ul>
        </Panel>
        {isAdmin ? (
          <>
            <Invite
              form={invite ?? { email: '', role: 'editor', errors: {} }}
              id={id}
              isAlone={members.length === 1}
              mayInvite={user.emailVerified}
            />
            {invitations.length === 0 ? '' : <Invitations site={site} id={id} invitations={invitations} />}
            <NameForm organization={organization} form={name} />
            {isChecked === null ? '' : <ChecksPanel action={`/dashboard/organizations/${id}`} isOn={isChecked} />}
          </>
        ) : (
          ''
        )}
        <OrganizationActions site={site} organization={organization} />
      </TabbedSheet>
    </>
  )
}

function NameForm({ organization, form }: { organization: OrganizationInFull; form: OrganizationProps['name'] }) {
  return (
    <Panel id="name-heading" heading="Name">
      <Form kind="inline" action={`/dashboard/organizations/${organization.id}`} button="Save name">
        <NameField
          label="Organisation name"
          labelClass="visually-hidden"
          error={form?.errors.name}
          value={form?.name ?? organization.name}
          required
          autocomplete="organization"
        />
      </Form>
    </Panel>
  )
}

/** Export, leaving and deleting. */
function OrganizationActions({ site, organization }: Pick<OrganizationProps, 'site' | 'organization'>): JSX.Element {
  const { id, role, members } = organization
  const isAdmin = role === 'admin'
  const isLast = isAdmin && members.filter((one) => one.role === 'admin').length === 1
  return (
    <Panel id="ends" heading={isAdmin ? 'Export, leave or delete' : 'Leave'}>
      {isLast ? (
        <p class="hint">You’re the only admin. To leave, make another member an admin first.</p>
      ) : isAdmin ? (
        ''
      ) : (
        <p class="hint">Bundles you created here stay with the organisation.</p>
      )}
      <div class="actions">
        {isAdmin ? (
          <ExportLink site={site} organizationId={id} label="Export all data" back={`/dashboard/organizations/${id}`} />
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
    </Panel>
  )
}

/** The tabs of an organisation, for its admins. */
export const organizationPages = (id: string) =>
  [
    { href: `/dashboard/organizations/${id}`, name: 'People' },
    { href: `/dashboard/organizations/${id}/activity`, name: 'Activity' },
  ] as const
