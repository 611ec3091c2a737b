import { type } from 'arktype'
import { COLORS } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { OrganizationId, UserId } from '../core/fields.ts'
import type { Reason } from '../core/issue.ts'
import { lazy } from '../core/lazy.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import { object, says, Time } from '../core/shape.ts'
import { CONTROLS, unfit } from '../core/text.ts'
import { Email } from '../core/text-shapes.ts'
import { iso } from '../core/time.ts'
import { Me } from '../identity/answers.ts'
import { ROLES, type Role, requireRole, type SignedIn, signedIn } from '../identity/caller.ts'
import { countForAddress } from '../limits/rate-limits.ts'
import { MAILS, withMailCounted } from '../mail/limits.ts'
import { type Context, implement } from '../operations/operation.ts'
import { type Invited, type Member, noOrganization, type OrganizationInFull, organizationFor } from './organizations.ts'
import { callAs, refusalOf } from './refusals.ts'

/** The longest name of a person or an organisation, in characters. Names are read with every session, shown and mailed. */
export const MAX_NAME = 100

/**
 * Text that mail programs turn into a link. Names of people and organisations must not contain it, because mails quote
 * them.
 */
const LINK = /:\/\/|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2,}(?:[/?#]|:\d)/iu

/** Why a name is refused, or null. */
export function unfitName(name: string): Reason | null {
  return unfit(name, MAX_NAME, CONTROLS) ?? (hasLink(name) ? { code: 'link_in_name' } : null)
}

/** Whether a mail program would turn part of a name into a link. A plain `Example.com` may be an organisation’s name. */
function hasLink(name: string): boolean {
  return LINK.test(name.normalize('NFKC'))
}

/** GET /api/me. */
export const whoAmI = implement('who_am_i', {
  summary: 'Show whom this credential acts for, with which role and scopes',
  description: 'Returns whose bundles this credential can access, its role there, and its scopes.',
  // Ignores query parameters, which links may carry (utm_source) and which cannot change the answer.
  input: type({ '+': 'delete' }),
  output: Me,
  run: async (_, { caller }) => {
    const { subject, role, scopes } = signedIn(caller)
    return { subject, role, scopes: [...scopes] }
  },
})

const Id = type('0 < string <= 64')
const RoleShape = type.enumerated(...ROLES)
export const OrganizationInPath = says(Id, 'Identifies the organisation.', 'o_27pd')

export const HANDLE_DOC = ['The end of its start page’s address, /o/<handle>; null for no start page.', 'acme'] as const

const NEW_ROLE = ['The role that whoever accepts gets.', 'editor'] as const
const INVITATION_ID = ['Identifies the invitation.', 'i_5kq2'] as const

/** An organisation in a path. */
const OneOrganization = object({ organizationId: OrganizationInPath })

/** The body of POST /api/organizations/:organizationId/invitations. */
const NewInvitation = object({
  organizationId: OrganizationInPath,
  email: says(Email, 'The address to invite.', 'someone@example.com'),
  role: says(RoleShape, ...NEW_ROLE),
})

/** An invitation in a path. */
const OneInvitation = object({ organizationId: OrganizationInPath, invitationId: says(Id, ...INVITATION_ID) })

/** A member in a path: a user’s id, or `me`. */
const OneMember = object({
  organizationId: OrganizationInPath,
  userId: says(Id, 'The member: a user’s id from list_members, or `me` to leave.', 'u_19xk'),
})

/** The body of PATCH /api/organizations/:organizationId/members/:userId. */
const RoleChange = object({
  organizationId: OrganizationInPath,
  userId: says(Id, 'The member: a user’s id from list_members, or `me`.', 'u_19xk'),
  role: says(
    RoleShape,
    'The new role: viewers read, editors also write, admins also delete and manage keys and members.',
    'viewer',
  ),
})

const OrganizationShape = lazy(() =>
  object(
    {
      organizationId: OrganizationId,
      name: says('string', 'Its name.', 'Acme Support'),
      handle: says('string | null', ...HANDLE_DOC),
      color: says(type.enumerated(...COLORS).or('null'), 'Its colour; null for none.', 'teal'),
      pictureUrl: says('string | null', 'Its picture, as PNG; null for none.', null),
    },
    'Organization',
  ),
)

const MemberShape = lazy(() =>
  object(
    {
      userId: UserId,
      name: says('string', 'Their name.', 'Mo Example'),
      email: says('string', 'Their email address.', 'mo@example.com'),
      role: says(RoleShape, 'Their role.', 'editor'),
      joinedAt: says(Time(), 'When they joined.', '2026-11-20T09:00:00.000Z'),
    },
    'Member',
  ),
)

const InvitationShape = lazy(() =>
  object(
    {
      invitationId: says('string', ...INVITATION_ID),
      email: says('string', 'The address that was invited.', 'someone@example.com'),
      role: says(RoleShape, ...NEW_ROLE),
      expiresAt: says(Time(), 'Until when it can be accepted.', '2026-11-27T09:00:00.000Z'),
    },
    'Invitation',
  ),
)

export const organization = lazy(() => says(OrganizationShape(), 'The organisation.'))

const MemberList = lazy(() =>
  object({
    organization: organization(),
    members: says(MemberShape().array(), 'The members, admins first.'),
    'invitations?': says(InvitationShape().array(), 'Open invitations; only for admins.'),
  }),
)
const ChangedMember = lazy(() => object({ member: says(MemberShape(), 'The member, as they are now.') }))
const RemovedMember = lazy(() =>
  object({
    organizationId: OrganizationId,
    userId: UserId,
    removedAt: says(Time(), 'When the membership ended.', '2026-11-20T09:00:00.000Z'),
  }),
)
const MadeInvitation = lazy(() => object({ invitation: says(InvitationShape(), 'The invitation.') }))
const RevokedInvitation = lazy(() =>
  object(
    {
      organizationId: OrganizationId,
      invitationId: says('string', ...INVITATION_ID),
      revokedAt: says(Time(), 'When it was revoked.', '2026-11-20T09:00:00.000Z'),
    },
    'RevokedInvitation',
  ),
)

// Organisations, members and invitations over JSON. better-auth makes the changes, by its rules and with its mails.

/** GET /api/organizations/:organizationId/members. */
export const listMembers = implement('list_members', {
  summary: 'List the members of an organisation',
  description:
    'Lists the members of an organisation that you belong to, admins first, with their roles; to admins, also its open ' +
    'invitations. An organisation’s key reaches that organisation alone, a person’s key none.',
  input: OneOrganization,
  output: MemberList,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async run({ organizationId }, context) {
    const found = await organizationOf(context, organizationId, 'viewer')
    const { role, members, invitations } = found
    return {
      organization: toOrganization(found, context.service.config),
      members: members.map(toMember),
      ...(role === 'admin' ? { invitations: invitations.map(toInvitation) } : {}),
    }
  },
})

/** POST /api/organizations/:organizationId/invitations. */
export const inviteMember = implement('invite_member', {
  summary: 'Invite somebody into an organisation',
  description:
    'Mails an invitation, which lives 7 days, to an address. Whoever accepts it, signed in with that address, is a member ' +
    'with the role. Admins only.',
  again: 'replaces the invitation to this address by a new one, and mails that',
  status: 201,
  input: NewInvitation,
  example: { organizationId: 'o_27pd', email: 'someone@example.com', role: 'editor' },
  output: MadeInvitation,
  errors: [
    'NOT_FOUND',
    'FORBIDDEN',
    'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
    'INVITATION_LIMIT_REACHED',
    'RATE_LIMITED',
  ],
  async run({ organizationId, email, role }, context) {
    const { caller, service } = context
    const { id } = await organizationOf(context, organizationId, 'admin')
    await countForAddress(service, 'signIn', caller.address, `${MAILS} `)
    const made = await withMailCounted(service, email, null, () =>
      callAs<Pick<Invited, 'id' | 'email'> & { expiresAt: string }>(
        signedIn(caller),
        service,
        '/organization/invite-member',
        { organizationId: id, email, role },
      ),
    )
    return { invitation: toInvitation({ ...made, role, expiresAt: Date.parse(made.expiresAt) }) }
  },
})

/** DELETE /api/organizations/:organizationId/invitations/:invitationId. */
export const revokeInvitation = implement('revoke_invitation', {
  summary: 'Revoke an open invitation into an organisation',
  description: 'Ends an invitation: the link that was mailed no longer works. Admins only; list_members has the ids.',
  input: OneInvitation,
  output: RevokedInvitation,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async run({ organizationId, invitationId }, context) {
    const { caller, service } = context
    const { id, invitations } = await organizationOf(context, organizationId, 'admin')
    if (!invitations.some((one) => one.id === invitationId)) throw refusalOf(404, { code: 'INVITATION_NOT_FOUND' })
    await callAs(signedIn(caller), service, '/organization/cancel-invitation', { invitationId })
    return { organizationId: id, invitationId, revokedAt: iso(Date.now()) }
  },
})

/** PATCH /api/organizations/:organizationId/members/:userId. */
export const updateMember = implement('update_member', {
  summary: 'Give a member of an organisation another role',
  description:
    'Changes what a member may do, from their next request on, with their keys too. Admins only, also for their own role ' +
    '(`me`); the last admin stays one (LAST_ADMIN).',
  input: RoleChange,
  example: { organizationId: 'o_27pd', userId: 'u_19xk', role: 'viewer' },
  output: ChangedMember,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'LAST_ADMIN'],
  async run({ organizationId, userId, role }, context) {
    const { caller, service } = context
    const organization = await organizationOf(context, organizationId, 'admin')
    const member = memberOf(organization, idOf(userId, signedIn(caller)))
    const words = { organizationId: organization.id, memberId: member.id, role }
    await callAs(signedIn(caller), service, '/organization/update-member-role', words)
    return { member: toMember({ ...member, role }) }
  },
})

/** DELETE /api/organizations/:organizationId/members/:userId. */
export const removeMember = implement('remove_member', {
  summary: 'Remove a member of an organisation, or leave it',
  description:
    'Ends a membership, and with it the keys that the member made for the organisation. Admins only, but everybody may ' +
    'leave (`me`); the last admin stays (LAST_ADMIN).',
  input: OneMember,
  output: RemovedMember,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'LAST_ADMIN'],
  async run({ organizationId, userId: named }, context) {
    const { service } = context
    const caller = signedIn(context.caller)
    const userId = idOf(named, caller)
    const isLeaving = userId === caller.userId
    const organization = await organizationOf(context, organizationId, isLeaving ? 'viewer' : 'admin')
    const { id } = organization
    const member = memberOf(organization, userId)
    const [path, words] = isLeaving
      ? (['/organization/leave', {}] as const)
      : (['/organization/remove-member', { memberIdOrEmail: member.id }] as const)
    await callAs(caller, service, path, { organizationId: id, ...words })
    return { organizationId: id, userId, removedAt: iso(Date.now()) }
  },
})

/**
 * The organisation that a call names. A session reaches every organisation of its user, a key only the one that it acts for.
 * @throws Problem NOT_FOUND, also for an organisation out of reach; FORBIDDEN if the role is too low.
 */
export async function organizationOf(
  { service: { store }, caller }: Pick<Context, 'service' | 'caller'>,
  organizationId: string,
  needed: Role,
): Promise<OrganizationInFull> {
  const { kind, subject, userId } = signedIn(caller)
  const isReached = kind === 'session' || (subject.type === 'organization' && subject.organizationId === organizationId)
  const found = isReached ? await organizationFor(store, userId, organizationId) : null
  if (found === null) throw noOrganization()
  requireRole(found.role, needed)
  return found
}

/** An organisation as answers have it. */
export function toOrganization(
  { id, name, handle, color, pictureId }: Pick<OrganizationInFull, 'id' | 'name' | 'handle' | 'color' | 'pictureId'>,
  { origin }: Pick<Config, 'origin'>,
) {
  const pictureUrl = pictureId === null ? null : `${origin}${routes.icon.href({ icon: `${pictureId}.png` })}`
  return { organizationId: id, name, handle, color, pictureUrl }
}

/** @throws Problem NOT_FOUND. */
function memberOf({ members }: OrganizationInFull, userId: string): Member {
  const found = members.find((one) => one.userId === userId)
  if (found === undefined) throw new Problem('NOT_FOUND', 'This person isn’t a member of the organisation.')
  return found
}

/** Resolves `me` to the caller, because a key learns its user’s id only from the list of members. */
function idOf(userId: string, caller: SignedIn): string {
  return userId === 'me' ? caller.userId : userId
}

function toMember({ userId, name, email, role, since }: Member) {
  return { userId, name, email, role, joinedAt: iso(since) }
}

function toInvitation({ id, email, role, expiresAt }: Invited) {
  return { invitationId: id, email, role, expiresAt: iso(expiresAt) }
}
