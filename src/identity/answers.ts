import { type } from 'arktype'
import { lazy } from '../core/lazy.ts'
import { ROLES, SCOPES } from './roles.ts'

/** The owner of bundles and keys. */
export const SubjectShape = lazy(() =>
  type({ type: "'user'", userId: 'string', '+': 'reject' })
    .or({ type: "'organization'", organizationId: 'string', '+': 'reject' })
    .configure({ named: 'Subject' }, 'self'),
)

export const Scopes = lazy(() => type.enumerated(...SCOPES).array())

/** The answer of GET /api/me. */
export const Me = lazy(() =>
  type({ subject: SubjectShape(), role: type.enumerated(...ROLES), scopes: Scopes(), '+': 'reject' }),
)
