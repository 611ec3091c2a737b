import { type } from 'arktype'
import { OrganizationId, UserId } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { object, says } from '../core/shape.ts'
import { ROLES, SCOPES } from './caller.ts'

/** The owner of bundles and keys. */
export const SubjectShape = lazy(() =>
  object({ type: "'user'", userId: UserId })
    .or(object({ type: "'organization'", organizationId: OrganizationId }))
    .configure({ named: 'Subject' }, 'self'),
)

/** The `subject` field of answers. */
export const Acting = lazy(() =>
  says(SubjectShape(), 'The user or organisation that you act for.', { type: 'user', userId: 'u_19xk' }),
)

/** The description and example of scopes, in inputs and answers. */
export const SCOPES_SAID = [
  'links:read reads; links:propose also proposes edits; links:write also creates, edits, deletes, claims; ' +
    'webhooks:write: webhooks alone; keys:admin: all of it, keys and members.',
  ['links:write'],
] as const

export const Scopes = lazy(() => says(type.enumerated(...SCOPES).array(), ...SCOPES_SAID))

/** The answer of GET /api/me. */
export const Me = lazy(() =>
  object({
    subject: Acting(),
    role: says(
      type.enumerated(...ROLES),
      'Your role there: viewers read, editors also write, admins also delete and manage keys.',
      'admin',
    ),
    scopes: Scopes(),
  }),
)
