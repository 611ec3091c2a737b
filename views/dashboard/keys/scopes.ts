import type { Scope } from '../../../src/identity/roles.ts'

/** Each scope's label, and what it allows beyond the previous one. */
export const SCOPES: Record<Scope, { name: string; allows: string }> = {
  'links:read': { name: 'Read', allows: 'See bundles, versions and insights. Can’t change anything.' },
  'links:propose': {
    name: 'Read and suggest',
    allows: 'Also suggest edits. Nothing changes until you accept them. Good for agents.',
  },
  'links:write': {
    name: 'Read and write',
    allows: 'Also create, edit, delete, restore and claim bundles, and review suggestions.',
  },
  'keys:admin': {
    name: 'Full access',
    allows: 'Also create and revoke API keys and export all data. Only for tools you fully trust.',
  },
}

/** Each scope includes the narrower ones, so the widest says it all. */
export function widest(scopes: readonly Scope[]): Scope {
  return (Object.keys(SCOPES) as Scope[]).findLast((scope) => scopes.includes(scope)) ?? 'links:read'
}
