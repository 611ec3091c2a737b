/** @jsxImportSource @kitajs/html */

import type { OwnedData } from '../../../src/accounts/deletion.ts'
import type { Member, OpenInvitation, OrganizationInFull } from '../../../src/accounts/organizations.ts'
import { routes } from '../../../src/core/routes.ts'
import { asSentence, count } from '../../../src/core/words.ts'
import type { Role } from '../../../src/identity/caller.ts'
import type { OwnOrganization } from '../../../src/identity/members.ts'
import { Alert, NameField } from '../../parts/fields.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Monogram, personName } from '../../parts/tile.tsx'
import { Confirm, ConfirmByTyping, ExportLink, type FormErrors, OwnedDataItems } from '../parts/form.tsx'
import { Sample } from '../parts/lists.tsx'
import { Form, Panel } from '../parts/panel.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'

/** The submitted form for a new organisation, with its errors. */
export interface CreateForm {
  name: string
  slug: string
  errors: FormErrors<'name'>
}

interface OrganizationsProps {
  site: DashboardSite
  /** The visitor's open invitations. */
  invitations: OpenInvitation[]
  form: CreateForm
}

/** The visitor's organisations and invitations, and the form for a new organisation. */
export function OrganizationsView({ site, invitations, form }: OrganizationsProps): JSX.Element {
  const { organizations, acting } = site.user
  const hasNone = organizations.length === 0
  return (
    <>
      <Alert text={form.errors.form} />
      <Head
        title="Team"
        {...(hasNone
          ? {}
          : { lede: 'Bundles and API keys belong to your current workspace: your own, or an organisation’s.' })}
      />
      {invitations.length > 0 && (
        <Panel id="invitations" heading="Invitations to you">
          <ul class="rows">
            <Each of={invitations} show={(one) => <InvitationRow invitation={one} />} />
          </ul>
        </Panel>
      )}
      {hasNone ? (
        <>
          <Empty
            heading="Work on bundles together"
            text="Create an organisation, invite people, and its bundles belong to all of you, even after someone leaves. Viewers can look, editors can create and edit, and admins also manage people and API keys."
          >
            <Create form={form} />
          </Empty>
          <SampleMembers />
        </>
      ) : (
        <>
          <Panel id="yours" heading="Organisations">
            <ul class="rows">
              <Each
                of={organizations}
                show={(one) => <OrganizationRow organization={one} isActing={one.id === acting?.id} />}
              />
            </ul>
          </Panel>
          <Panel id="create" heading="New organisation">
            <Create form={form} />
          </Panel>
        </>
      )}
    </>
  )
}

function Create({ form: { name, slug, errors } }: Pick<OrganizationsProps, 'form'>): JSX.Element {
  return (
    <Form
      kind="inline"
      action={routes.organizations.list.href()}
      hidden={{ slug }}
      button="Create organisation"
      look="primary"
    >
      <NameField error={errors.name} value={name} required autocomplete="organization" />
    </Form>
  )
}

/** Sample members, shown until there is an organisation. */
function SampleMembers(): JSX.Element {
  const people: [name: string, role: Role][] = [
    ['Ann', 'admin'],
    ['Sam', 'editor'],
    ['Kim', 'viewer'],
  ]
  return (
    <Sample caption="An example of who works together">
      <ul class="rows">
        <Each
          of={people}
          show={([name, role]) => (
            <li class="row person">
              <Monogram text={name} />
              <div class="what">
                <span class="name" safe>
                  {name}
                </span>
                <span class="hint" safe>
                  {asSentence(ROLE_WORDS[role].does)}
                </span>
              </div>
              <span class="tag" safe>
                {ROLE_WORDS[role].name}
              </span>
            </li>
          )}
        />
      </ul>
    </Sample>
  )
}

interface RowProps {
  organization: OwnOrganization
  isActing: boolean
}

function OrganizationRow({ organization, isActing }: RowProps): JSX.Element {
  const { id, name, role, color, pictureId } = organization
  return (
    <li class="row person">
      <Monogram text={name} color={color} pictureId={pictureId} />
      <div class="what">
        <a class="name" href={routes.organizations.organization.href({ id })}>
          <bdi safe>{name}</bdi>
        </a>
        <span class="hint" safe>{`You’re ${ROLE_WORDS[role].one}`}</span>
      </div>
      {isActing ? (
        <span class="tag good">Current workspace</span>
      ) : (
        <Form
          action={routes.subject.href()}
          button="Switch"
          look="quiet"
          name="organizationId"
          value={id}
          label={`Switch to ${name}`}
        />
      )}
    </li>
  )
}

function InvitationRow({ invitation: { id, name, role } }: { invitation: OpenInvitation }): JSX.Element {
  return (
    <li class="row person">
      <Monogram text={name} />
      <div class="what">
        <span class="name">
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint" safe>{`Join as ${ROLE_WORDS[role].one}`}</span>
      </div>
      <div class="actions">
        <a
          class="quiet"
          href={routes.account.invitation.href({ id })}
          hx-boost="false"
          aria-label={attribute(`View invitation to ${name}`)}
        >
          View invitation
        </a>
      </div>
    </li>
  )
}

interface RemoveMemberProps {
  organization: OrganizationInFull
  member: Member
  /** The number of the organisation's keys that the member created. */
  keys: number
}

/** Asks before a member is removed. */
export function RemoveMemberView({ organization, member, keys }: RemoveMemberProps): JSX.Element {
  const { id, name } = organization
  return (
    <Confirm
      title={`Remove ${personName(member)}?`}
      action={routes.organizations.removeMember.href({ id, member: member.id })}
      button="Remove member"
      back={routes.organizations.organization.href({ id })}
    >
      <p safe>{`They lose access to ${name} right away. Bundles they created stay.`}</p>
      <KeysEnd keys={keys} whose="they" />
    </Confirm>
  )
}

/** Asks before a member leaves. */
export function LeaveView({ organization, keys }: Omit<RemoveMemberProps, 'member'>): JSX.Element {
  const { id, name } = organization
  return (
    <Confirm
      title={`Leave ${name}?`}
      action={routes.organizations.leave.href({ id })}
      button="Leave organisation"
      back={routes.organizations.organization.href({ id })}
    >
      <p>
        You lose access to its bundles right away, and need a new invitation to come back. Bundles you created stay.
      </p>
      <KeysEnd keys={keys} whose="you" />
    </Confirm>
  )
}

function KeysEnd({ keys, whose }: { keys: number; whose: 'you' | 'they' }): JSX.Element {
  if (keys === 0) return ''
  const text = `${count(keys, 'API key')} ${whose} created for the organisation ${keys === 1 ? 'stops' : 'stop'} working.`
  return <p safe>{text}</p>
}

interface DeleteOrganizationProps {
  site: DashboardSite
  organization: OrganizationInFull
  ownedData: OwnedData
  typedName: string
  error: string | undefined
}

/** Asks before an organisation is deleted, and lists what is deleted with it. */
export function DeleteOrganizationView(props: DeleteOrganizationProps): JSX.Element {
  const { site, organization, ownedData, typedName, error } = props
  const { id, name, members } = organization
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={routes.organizations.delete.href({ id })}
      button="Delete organisation"
      back={routes.organizations.organization.href({ id })}
      fields={
        <ConfirmByTyping name="name" value={typedName} error={error}>
          <strong dir="auto" safe>
            {name}
          </strong>
        </ConfirmByTyping>
      }
    >
      <p>You can’t undo this. It permanently deletes:</p>
      <ul>
        <OwnedDataItems {...ownedData} />
        <li safe>{`access for ${count(members.length, 'member')}, who keep their accounts`}</li>
      </ul>
      <p>
        <ExportLink
          site={site}
          organizationId={id}
          label="Export all data"
          back={routes.organizations.delete.href({ id })}
          isPlain
        />
        {' first if you might need it.'}
      </p>
    </Confirm>
  )
}
