/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import {
  DeleteOrganizationView,
  LeaveView,
  RemoveMemberView,
} from '../../../views/dashboard/organizations/confirmations.tsx'
import type { InviteForm } from '../../../views/dashboard/organizations/invitations.tsx'
import { type NameErrors, OrganizationView } from '../../../views/dashboard/organizations/organization.tsx'
import { type CreateForm, OrganizationsView } from '../../../views/dashboard/organizations/organizations.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { oldSignIn } from '../../../views/dashboard/parts/proof.tsx'
import {
  invitationsTo,
  noOrganization,
  type OrganizationInFull,
  organizationFor,
  organizationIdBySlug,
} from '../../accounts/organizations.ts'
import { keysMintedBy, ownedDataOf } from '../../accounts/owned-data.ts'
import { setChecks, wantsChecks } from '../../bundles/health.ts'
import { besideField } from '../../core/field-words.ts'
import { Problem } from '../../core/problem.ts'
import { seeOther } from '../../http/respond.ts'
import type { Subject } from '../../identity/caller.ts'
import { requireRole } from '../../identity/roles.ts'
import { ownsBundles } from '../../plans/caps.ts'
import { callAuth, mustCallAuth } from '../parts/auth-calls.ts'
import { formErrors } from '../parts/form-errors.ts'
import type { Outcome, Screen } from '../parts/screens.tsx'
import { resultOrProblem, type Visit } from '../parts/visit.ts'

const LIST = '/dashboard/organizations'
const NO_NAME = 'Enter a name.'

/** Organisations, their members and roles. */
export const organizationScreens: readonly Screen[] = [
  {
    path: LIST,
    get: (visit) => organizationsPage(visit, { name: '', slug: randomUUID(), errors: {} }),
    async post(visit, form) {
      const name = form.get('name')?.trim() ?? ''
      // The form has a slug of its own, so resubmitting it does not create a second organisation.
      const slug = form.get('slug') || randomUUID()
      if (name === '') return organizationsPage(visit, { name, slug, errors: { name: NO_NAME } }, noName())
      const answer = await callAuth(visit, '/organization/create', { name, slug })
      if (answer instanceof Response) {
        const { id } = (await answer.json()) as { id: string }
        const { userId } = visit.session
        const hasOwn = await ownsBundles(visit.service.store, { type: 'user', userId })
        return seeOther(withFlash(`${LIST}/${id}${hasOwn ? '/move' : ''}`, 'organizationMade'), answer)
      }
      const made = await organizationIdBySlug(visit.service.store, visit.session.userId, slug)
      if (made !== null) return { to: `${LIST}/${made}` }
      return organizationsPage(visit, { name, slug, errors: formErrors(answer, ['name']) }, answer)
    },
  },
  {
    path: '/dashboard/organizations/:id',
    async get(visit) {
      return organizationPage(visit, await organizationOf(visit))
    },
    async post(visit, form) {
      const organization = await organizationOf(visit)
      if (form.get('change') === 'checks') return switchChecks(visit, organization, form)
      return form.has('email') ? invite(visit, organization, form) : rename(visit, organization, form)
    },
  },
  {
    path: '/dashboard/organizations/:id/invitations/:invitation/cancel',
    async post(visit) {
      const { id } = await organizationOf(visit)
      await mustCallAuth(visit, '/organization/cancel-invitation', { invitationId: visit.params.invitation })
      return { to: withFlash(`${LIST}/${id}`, 'invitationCanceled') }
    },
  },
  {
    path: '/dashboard/organizations/:id/members/:member/role',
    async post(visit, form) {
      const { id } = await organizationOf(visit)
      const words = { organizationId: id, memberId: visit.params.member, role: form.get('role') }
      await mustCallAuth(visit, '/organization/update-member-role', words)
      return { to: withFlash(`${LIST}/${id}`, 'roleChanged') }
    },
  },
  {
    path: '/dashboard/organizations/:id/members/:member/remove',
    async get(visit) {
      const organization = await organizationOf(visit)
      requireRole(organization.role, 'admin')
      const member = organization.members.find(({ id }) => id === visit.params.member)
      if (member === undefined) throw new Problem('NOT_FOUND', 'They’re no longer a member.')
      const keys = await keysMintedBy(visit.service.store, organization.id, member.userId)
      const view = <RemoveMemberView organization={organization} member={member} keys={keys} />
      return { section: 'organizations', title: 'Remove member', view }
    },
    async post(visit) {
      const { id } = await organizationOf(visit)
      const words = { organizationId: id, memberIdOrEmail: visit.params.member }
      await mustCallAuth(visit, '/organization/remove-member', words)
      return { to: withFlash(`${LIST}/${id}`, 'memberRemoved') }
    },
  },
  {
    path: '/dashboard/organizations/:id/leave',
    async get(visit) {
      const organization = await organizationOf(visit)
      const keys = await keysMintedBy(visit.service.store, organization.id, visit.session.userId)
      const view = <LeaveView organization={organization} keys={keys} />
      return { section: 'organizations', title: `Leave ${organization.name}`, view }
    },
    async post(visit) {
      const { id } = await organizationOf(visit)
      const answer = await mustCallAuth(visit, '/organization/leave', { organizationId: id })
      return seeOther(withFlash(LIST, 'left'), answer)
    },
  },
  {
    path: '/dashboard/organizations/:id/delete',
    get: async (visit) => deletePage(visit, await organizationOf(visit), undefined),
    async post(visit, form) {
      const organization = await organizationOf(visit)
      if (form.get('name')?.trim() !== organization.name.trim()) {
        const problem = new Problem('BAD_REQUEST', 'This doesn’t match the organisation’s name.')
        return deletePage(visit, organization, problem)
      }
      const words = { organizationId: organization.id }
      const answer = await resultOrProblem(() => mustCallAuth(visit, '/organization/delete', words))
      if (answer instanceof Problem) return deletePage(visit, organization, answer)
      return seeOther(withFlash(LIST, 'organizationDeleted'), answer)
    },
  },
]

/**
 * The organisation named in the path.
 * @throws Problem NOT_FOUND if the visitor is not a member.
 */
async function organizationOf({ service, session, params }: Visit): Promise<OrganizationInFull> {
  const found = await organizationFor(service.store, session.userId, params.id ?? '')
  if (found === null) throw noOrganization()
  return found
}

async function organizationsPage(visit: Visit, form: CreateForm, problem?: Problem): Promise<Outcome> {
  const invitations = await invitationsTo(visit.service.store, visit.session)
  const view = <OrganizationsView site={visit.site} invitations={invitations} form={form} />
  return { section: 'organizations', title: 'Organisations', view, problem }
}

interface Forms {
  invite?: InviteForm
  name?: { name: string; errors: NameErrors }
}

async function organizationPage(
  { site, service }: Visit,
  organization: OrganizationInFull,
  forms: Forms = {},
  problem?: Problem,
): Promise<Outcome> {
  const { id, role } = organization
  const isSwitch = service.config.linkChecks && role === 'admin'
  const isChecked = isSwitch ? await wantsChecks(service.store, { type: 'organization', organizationId: id }) : null
  const view = <OrganizationView site={site} organization={organization} isChecked={isChecked} {...forms} />
  return { section: 'organizations', title: organization.name, view, problem }
}

async function switchChecks({ service, session }: Visit, { id, role }: OrganizationInFull, form: URLSearchParams) {
  requireRole(role, 'admin')
  const subject: Subject = { type: 'organization', organizationId: id }
  await setChecks(service.store, session.userId, subject, form.has('checkLinks'))
  return { to: withFlash(`${LIST}/${id}`, 'checksSaved') }
}

async function invite(visit: Visit, organization: OrganizationInFull, form: URLSearchParams): Promise<Outcome> {
  const { id } = organization
  const [email, role] = [form.get('email')?.trim() ?? '', form.get('role') ?? '']
  const answer = await callAuth(visit, '/organization/invite-member', { organizationId: id, email, role })
  if (answer instanceof Response) return { to: withFlash(`${LIST}/${id}`, 'invited') }
  const known = INVITING[answer.code]
  const errors = known === undefined ? formErrors(answer, ['email']) : { email: known }
  return organizationPage(visit, organization, { invite: { email, role, errors } }, answer)
}

const INVITING: Partial<Record<Problem['code'], string>> = {
  INVALID_EMAIL: besideField({ code: 'not_an_email_address' }),
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is already a member.',
  INVITATION_LIMIT_REACHED: 'You have too many open invitations. Revoke one first.',
}

async function rename(visit: Visit, organization: OrganizationInFull, form: URLSearchParams): Promise<Outcome> {
  const { id } = organization
  const name = form.get('name')?.trim() ?? ''
  if (name === '') return organizationPage(visit, organization, { name: { name, errors: { name: NO_NAME } } }, noName())
  const answer = await callAuth(visit, '/organization/update', { organizationId: id, data: { name } })
  if (answer instanceof Response) return { to: withFlash(`${LIST}/${id}`, 'organizationRenamed') }
  return organizationPage(visit, organization, { name: { name, errors: formErrors(answer, ['name']) } }, answer)
}

async function deletePage(
  visit: Visit,
  organization: OrganizationInFull,
  problem: Problem | undefined,
): Promise<Outcome> {
  requireRole(organization.role, 'admin')
  const title = `Delete ${organization.name}`
  const back = `${LIST}/${organization.id}/delete`
  const why = 'Deleting an organisation can’t be undone, so this needs a sign-in from the last 24 hours.'
  const old = oldSignIn(visit.site, title, back, why)
  if (old !== null) return { section: 'organizations', title, view: old, problem }
  const ownedData = await ownedDataOf(visit.service.store, organization.id)
  const view = (
    <DeleteOrganizationView
      site={visit.site}
      organization={organization}
      ownedData={ownedData}
      error={problem?.userMessage}
    />
  )
  return { section: 'organizations', title, view, problem }
}

function noName(): Problem {
  return new Problem('BAD_REQUEST', NO_NAME)
}
