/** @jsxImportSource @kitajs/html */

import type { Member, OrganizationInFull } from '../../../src/accounts/organizations.ts'
import { ROLES } from '../../../src/identity/roles.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'
import { Monogram, personName } from '../parts/person.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'

interface MemberRowProps {
  organization: OrganizationInFull
  member: Member
  currentUserId: string
}

/** A member, with what an admin can do about them. */
export function MemberRow({ organization, member, currentUserId }: MemberRowProps): JSX.Element {
  const { email, role, userId, since } = member
  const isSelf = userId === currentUserId
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
          {name === email ? 'Joined ' : ' · joined '}
          <RelativeTime at={since} />
        </span>
      </div>
      <span class={['tag', role === 'admin' && 'good']} safe>
        {ROLE_WORDS[role].name}
      </span>
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

function MemberMenu({ organization, member, isSelf }: Omit<MemberRowProps, 'currentUserId'> & { isSelf: boolean }) {
  const to = `/dashboard/organizations/${organization.id}/members/${member.id}`
  return (
    <details class="menu" name="menu">
      <summary class="quiet" aria-label={attribute(`Manage ${personName(member)}`)}>
        <Icon name="more" />
      </summary>
      <div class="pop">
        <form method="post" action={`${to}/role`}>
          <Each
            of={ROLES.filter((role) => role !== member.role)}
            show={(role) => (
              <button type="submit" class="item" name="role" value={role}>
                <span class="who">
                  <span class="name" safe>{`Make ${ROLE_WORDS[role].one}`}</span>
                  <span class="hint" safe>
                    {ROLE_WORDS[role].does}
                  </span>
                </span>
              </button>
            )}
          />
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
