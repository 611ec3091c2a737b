import { type } from 'arktype'
import { later } from '../core/shape.ts'
import { ROLES, SCOPES } from './roles.ts'

/** The owner of bundles and keys (spec 2.6, decisions 2). */
export const Subject = later(() =>
  type({ type: "'user'", userId: 'string', '+': 'reject' })
    .or({ type: "'organization'", organizationId: 'string', '+': 'reject' })
    .configure({ named: 'Subject' }, 'self'),
)

/** Scopes in answers. */
export const Scopes = later(() => type.enumerated(...SCOPES).array())

/** The answer of GET /api/me (spec 4.9). */
export const Me = later(() =>
  type({ subject: Subject(), role: type.enumerated(...ROLES), scopes: Scopes(), '+': 'reject' }),
)
