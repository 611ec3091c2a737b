import { APIError } from 'better-auth/api'
import { organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import { defaultStatements } from 'better-auth/plugins/organization/access'
import { eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { organization as organizations, owners } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/problem.ts'
import { count } from '../core/words.ts'
import { changeRole, isRole, removeMember } from '../identity/members.ts'
import { planLimit } from '../plans/caps.ts'
import type { AccountMails } from './account-mails.ts'
import { mailedPath } from './invitations.ts'
import type { linkMails } from './link-mails.ts'
import { lastAdmin } from './proof-hooks.ts'
import { whileMembersChange } from './webhook-makers.ts'

const INVITATION_DAYS = 7

/** Not accepted from clients and not returned to them. */
const INTERNAL_FIELD = { required: false, input: false, returned: false } as const

const permissions = createAccessControl(defaultStatements)
const roles = {
  viewer: permissions.newRole({ organization: [], member: [], invitation: [] }),
  editor: permissions.newRole({ organization: [], member: [], invitation: [] }),
  admin: permissions.newRole({
    organization: ['update', 'delete'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
  }),
}

/** better-auth’s organisations with our roles. The hooks enforce the cap, and that an admin remains. */
export function organizationPlugin(
  config: Config,
  store: Store,
  mails: ReturnType<typeof linkMails>,
  accountMails: AccountMails,
) {
  return organization({
    ac: permissions,
    roles,
    creatorRole: 'admin',
    invitationExpiresIn: INVITATION_DAYS * 86_400,
    cancelPendingInvitationsOnReInvite: true,
    requireEmailVerificationOnInvitation: true,
    schema: { organization: { additionalFields: { createdBy: { type: 'string', ...INTERNAL_FIELD } } } },
    organizationHooks: {
      async beforeCreateOrganization({ organization, user }) {
        const full = await organizationCapReached(store, user.id, config)
        if (full !== null) throw new APIError('FORBIDDEN', { message: full.message, code: full.code })
        return { data: { ...organization, createdBy: user.id } }
      },
      async beforeCreateInvitation({ invitation: { role } }) {
        if (!isRole(role)) throw noSuchRole()
      },
      async beforeUpdateMemberRole({ member, newRole }) {
        if (!isRole(newRole)) throw noSuchRole()
        const change = () => changeRole(store, member, newRole)
        if (!(await whileMembersChange(accountMails, member.userId, change))) throw lastAdmin('They’re the only admin')
      },
      async afterUpdateMemberRole({ previousRole, user, organization, member: { role } }) {
        if (!isRole(role) || role === previousRole) return
        await accountMails.notify(user.id, { kind: 'roleChanged', organization: organization.name, role })
      },
      async beforeRemoveMember({ member }) {
        const remove = () => removeMember(store, member)
        if (!(await whileMembersChange(accountMails, member.userId, remove))) throw lastAdmin('They’re the only admin')
      },
    },
    async sendInvitationEmail({ id, email, role, organization, inviter: { user }, invitation: { expiresAt } }) {
      const path = mailedPath({ id, expiresAt }, config)
      if (isRole(role)) await mails.invitation({ path, email, role, expiresAt, organization, inviter: user })
    },
  })
}

function noSuchRole(): APIError {
  return new APIError('BAD_REQUEST', { message: 'role must be viewer, editor or admin', code: 'BAD_REQUEST' })
}

/**
 * The error for a person who has created as many organisations as their plan allows, or null. Ones they have left still
 * count, or leaving would reset the cap; deleted ones do not.
 */
async function organizationCapReached(
  { db }: Store,
  userId: string,
  { maxOrganizations }: Pick<Config, 'maxOrganizations'>,
): Promise<Problem | null> {
  const [[made], [owner]] = await db.batch([
    db.select({ count: sql<number>`count(*)` }).from(organizations).where(eq(organizations.createdBy, userId)),
    db.select({ plan: owners.plan }).from(owners).where(eq(owners.userId, userId)),
  ])
  const plan = owner?.plan ?? 'free'
  const max = maxOrganizations[plan]
  if ((made?.count ?? 0) < max) return null
  const onPro = count(maxOrganizations.pro, 'organisation')
  return planLimit({ type: 'user', userId }, plan, count(max, 'organisation'), onPro, 'delete one')
}
