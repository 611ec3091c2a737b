import type { Scope } from '../../../src/identity/roles.ts'

/** What each scope is called, and allows beyond the one before. */
export const SCOPES: Record<Scope, { name: string; allows: string }> = {
  'links:read': { name: 'Read', allows: 'List and read bundles, their versions and their insights. Changes nothing.' },
  'links:write': { name: 'Read and write', allows: 'That, and make, edit, delete, restore and claim bundles.' },
  'keys:admin': {
    name: 'Full access',
    allows: 'That, and make and revoke API keys and export all data. For tools that you trust like yourself.',
  },
}

/** Scopes hold one another: the widest says it all. */
export function widest(scopes: readonly Scope[]): Scope {
  return (Object.keys(SCOPES) as Scope[]).findLast((scope) => scopes.includes(scope)) ?? 'links:read'
}
