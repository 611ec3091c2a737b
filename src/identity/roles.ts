import { ROLES, type Role, SCOPES, type Scope } from '../../db/rights.ts'
import { Problem } from '../core/problem.ts'

// Re-exported for views, which may not import the database.
export { ROLES, type Role, SCOPES, type Scope }

/** What each scope includes. That of webhooks lies beside those of links. */
const INCLUDED: Record<Scope, readonly Scope[]> = {
  'links:read': ['links:read'],
  'links:propose': ['links:read', 'links:propose'],
  'links:write': ['links:read', 'links:propose', 'links:write'],
  'webhooks:write': ['webhooks:write'],
  'keys:admin': SCOPES,
}

/** Whether `scopes` include `needed`, directly or by a scope that implies it. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => INCLUDED[scope].includes(needed))
}

/**
 * Scopes as credentials keep them: each once, without `links:propose` where `links:write` includes it, and without
 * `webhooks:write` where `keys:admin` does, because a stored key holds at most three.
 */
export function keptScopes(scopes: readonly Scope[]): Scope[] {
  const isIncluded = (scope: Scope) =>
    (scope === 'links:propose' && scopes.includes('links:write')) ||
    (scope === 'webhooks:write' && scopes.includes('keys:admin'))
  return [...new Set(scopes)].filter((scope) => !isIncluded(scope))
}

/** Whether a role is at least the needed one. */
export function allowsRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed)
}

/**
 * Refuses a role that is less than the needed one, and names both.
 * @throws Problem FORBIDDEN.
 */
export function requireRole(has: Role, needed: Role): void {
  if (allowsRole(has, needed)) return
  throw new Problem('FORBIDDEN', `needs role ${needed} (you are ${has})`, {
    userMessage: `You need the ${needed} role to do this. You’re ${has === 'viewer' ? 'a' : 'an'} ${has}.`,
  })
}
