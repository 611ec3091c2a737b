import { type } from 'arktype'
import { later } from '../core/shape.ts'
import { ROLES, SCOPES } from './roles.ts'

/** Who bundles and keys belong to (spec 2.6, decisions 2). */
export const Subject = later(() =>
  type({ type: "'user'", userId: 'string', '+': 'reject' })
    .or({ type: "'organization'", organizationId: 'string', '+': 'reject' })
    .configure({ named: 'Subject' }, 'self'),
)

/** Scopes as they are shown. */
export const Scopes = later(() => type.enumerated(...SCOPES).array())

/** What GET /api/me answers (spec 4.9). */
export const Me = later(() =>
  type({ subject: Subject(), role: type.enumerated(...ROLES), scopes: Scopes(), '+': 'reject' }),
)
