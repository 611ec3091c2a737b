/** @jsxImportSource @kitajs/html */

import type { Member, OrganizationInFull } from '../../../src/accounts/organizations.ts'
import type { OwnedData } from '../../../src/accounts/owned-data.ts'
import { count } from '../../../src/core/words.ts'
import { Confirm, ConfirmByTyping } from '../parts/confirm.tsx'
import { OwnedDataItems } from '../parts/owned-data.tsx'
import { personName } from '../parts/person.tsx'
import { ExportLink } from '../parts/proof.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

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
      action={`/dashboard/organizations/${id}/members/${member.id}/remove`}
      button="Remove member"
      back={`/dashboard/organizations/${id}`}
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
      action={`/dashboard/organizations/${id}/leave`}
      button="Leave organisation"
      back={`/dashboard/organizations/${id}`}
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
  error: string | undefined
}

/** Asks before an organisation is deleted, and lists what is deleted with it. */
export function DeleteOrganizationView({ site, organization, ownedData, error }: DeleteOrganizationProps): JSX.Element {
  const { id, name, members } = organization
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`/dashboard/organizations/${id}/delete`}
      button="Delete organisation"
      back={`/dashboard/organizations/${id}`}
      fields={
        <ConfirmByTyping name="name" error={error}>
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
          back={`/dashboard/organizations/${id}/delete`}
          isPlain
        />
        {' first if you might need it.'}
      </p>
    </Confirm>
  )
}
