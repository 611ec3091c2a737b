/** @jsxImportSource @kitajs/html */

import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { keysMintedBy, ownedDataOf } from '../../../src/accounts/deletion.ts'
import {
  invitationsTo,
  noOrganization,
  type OrganizationInFull,
  organizationFor,
  organizationIdBySlug,
} from '../../../src/accounts/organizations.ts'
import { setChecks, wantsChecks } from '../../../src/bundles/links/health.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { SentFile } from '../../../src/http/body.ts'
import { htmxTarget, seeOther } from '../../../src/http/respond.ts'
import { requireRole, type Subject } from '../../../src/identity/caller.ts'
import { ownsBundles } from '../../../src/plans/owners.ts'
import { updateOrganization } from '../../../src/start-page/operations.ts'
import { withFlash } from '../../parts/messages.ts'
import { formErrors, oldSignIn } from '../parts/form.tsx'
import {
  callAuth,
  mustCallAuth,
  type Outcome,
  resultOrProblem,
  run,
  type Screen,
  type Visit,
} from '../parts/screens.tsx'
import type { InviteForm } from './invitations.tsx'
import { type LookErrors, OrganizationView, type SentForm } from './organization.tsx'
import { type CreateForm, DeleteOrganizationView, LeaveView, OrganizationsView, RemoveMemberView } from './view.tsx'

const LIST = routes.organizations.list.path
const NO_NAME = 'Enter a name.'
/** Larger pictures than are taken are read, so that the refusal stands beside their field. */
const MAX_FILE = 8 * 1024 * 1024

/** Organisations, their members and roles. */
export const organizationScreens: readonly Screen[] = [
  {
    path: LIST,
    get: (visit) => organizationsPage(visit, { name: '', slug: randomUUID(), errors: {} }),
    async post(visit, form) {
      const name = form.get('name')?.trim() ?? ''
      // The form contains a slug, so that resubmitting it does not create a second organisation.
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
    path: routes.organizations.organization.path,
    async get(visit) {
      return organizationPage(visit, await organizationOf(visit))
    },
    maxFile: MAX_FILE,
    async post(visit, form, file) {
      const organization = await organizationOf(visit)
      return form.has('email') ? invite(visit, organization, form) : save(visit, organization, form, file)
    },
  },
  {
    path: routes.organizations.cancelInvitation.path,
    async post(visit) {
      const { id } = await organizationOf(visit)
      await mustCallAuth(visit, '/organization/cancel-invitation', { invitationId: visit.params.invitation })
      return { to: withFlash(`${LIST}/${id}`, 'invitationCanceled') }
    },
  },
  {
    path: routes.organizations.changeRole.path,
    async post(visit, form) {
      const { id } = await organizationOf(visit)
      const words = { organizationId: id, memberId: visit.params.member, role: form.get('role') }
      await mustCallAuth(visit, '/organization/update-member-role', words)
      return { to: withFlash(`${LIST}/${id}`, 'roleChanged') }
    },
  },
  {
    path: routes.organizations.removeMember.path,
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
    path: routes.organizations.leave.path,
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
    path: routes.organizations.delete.path,
    get: async (visit) => deletePage(visit, await organizationOf(visit), ''),
    async post(visit, form) {
      const organization = await organizationOf(visit)
      const name = form.get('name')?.trim() ?? ''
      if (name !== organization.name.trim()) {
        const problem = new Problem('BAD_REQUEST', 'This doesn’t match the organisation’s name.')
        return deletePage(visit, organization, name, problem)
      }
      const words = { organizationId: organization.id }
      const answer = await resultOrProblem(() => mustCallAuth(visit, '/organization/delete', words))
      if (answer instanceof Problem) return deletePage(visit, organization, name, answer)
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
  return { section: 'organizations', title: 'Team', view, problem }
}

interface Forms {
  invite?: InviteForm
  sent?: SentForm
}

async function organizationPage(
  { site, service, request, query }: Visit,
  organization: OrganizationInFull,
  forms: Forms = {},
  problem?: Problem,
): Promise<Outcome> {
  const { id, role } = organization
  const isSwitch = service.config.linkChecks && role === 'admin'
  const isChecked = isSwitch ? await wantsChecks(service.store, { type: 'organization', organizationId: id }) : null
  const isSavedWithin = query.get('notice') === 'settingsSaved' && htmxTarget(request) !== null
  const view = <OrganizationView {...{ site, organization, isChecked, isSavedWithin }} {...forms} />
  // What somebody has typed into its other form stays.
  return { section: 'organizations', title: organization.name, view, problem, staysSaved: true }
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

/** Stores the sent sections, look and checks: both, or none if the look is refused. */
async function save(
  visit: Visit,
  organization: OrganizationInFull,
  form: URLSearchParams,
  file: SentFile | null,
): Promise<Outcome> {
  const { id, role } = organization
  requireRole(role, 'admin')
  const sent = new Set(form.getAll('change'))
  const isChecked = form.has('checkLinks')
  const isBare = form.has('noPicture')
  const [name = '', handle = '', color = ''] = ['name', 'handle', 'color'].map((field) => form.get(field)?.trim() ?? '')
  const refuse = (errors: LookErrors, problem: Problem) => {
    const typed = { name, handle, color, isBare, errors, ...(sent.has('checks') && { isChecked }) }
    return organizationPage(visit, organization, { sent: typed }, problem)
  }
  if (sent.has('look')) {
    if (name === '') return refuse({ name: NO_NAME }, noName())
    const picture = file === null ? (isBare ? null : undefined) : Buffer.from(file.bytes).toString('base64')
    const look = {
      handle: handle || null,
      color: color || null,
      ...(name !== organization.name && { name }),
      ...(picture !== undefined && { picture }),
    }
    const answer = await resultOrProblem(() => run(visit, updateOrganization, { organizationId: id, ...look }))
    if (answer instanceof Problem) {
      return refuse(answer.code === 'HANDLE_TAKEN' ? { handle: answer.userMessage } : formErrors(answer, LOOK), answer)
    }
  }
  if (sent.has('checks')) {
    const subject: Subject = { type: 'organization', organizationId: id }
    await setChecks(visit.service.store, visit.session.userId, subject, isChecked)
  }
  return { to: withFlash(`${LIST}/${id}`, 'settingsSaved') }
}

const LOOK = ['name', 'handle', 'color', 'picture'] as const

/** @param typedName what the visitor has typed to confirm. */
async function deletePage(
  visit: Visit,
  organization: OrganizationInFull,
  typedName: string,
  problem?: Problem,
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
      typedName={typedName}
      error={problem?.userMessage}
    />
  )
  return { section: 'organizations', title, view, problem }
}

function noName(): Problem {
  return new Problem('BAD_REQUEST', NO_NAME)
}
