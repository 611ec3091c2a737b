import { ROLES, type Role, SCOPES, type Scope } from '../../db/rights.ts'
import { Problem } from '../core/problem.ts'

// Re-exported for views, which may not import the database.
export { ROLES, type Role, SCOPES, type Scope }

/** Whether `scopes` include `needed`, directly or by a scope that implies it. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => SCOPES.indexOf(scope) >= SCOPES.indexOf(needed))
}

/**
 * Scopes as credentials keep them: each once, and without `links:propose` where `links:write` includes it, because a
 * stored key holds at most three.
 */
export function keptScopes(scopes: readonly Scope[]): Scope[] {
  const hasWrite = scopes.includes('links:write')
  return [...new Set(scopes)].filter((scope) => scope !== 'links:propose' || !hasWrite)
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
