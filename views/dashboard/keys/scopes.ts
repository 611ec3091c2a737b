import type { Scope } from '../../../src/identity/roles.ts'

/** Each scope's label, and what it allows: those of links beyond the previous one. */
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
  'webhooks:write': {
    name: 'Webhooks only',
    allows: 'Create and manage webhooks, which send your bundles elsewhere. Can’t do anything else.',
  },
  'keys:admin': {
    name: 'Full access',
    allows: 'All of the above, create and revoke API keys and export all data. Only for tools you fully trust.',
  },
}

/** What scopes allow, in a few words: the widest says it all, save that webhooks lie beside links. */
export function scopeNames(scopes: readonly Scope[]): string {
  const isBeside = (scope: Scope) => scope === 'webhooks:write'
  const widest = (Object.keys(SCOPES) as Scope[]).findLast((scope) => scopes.includes(scope) && !isBeside(scope))
  if (widest === undefined) return SCOPES['webhooks:write'].name
  return SCOPES[widest].name + (scopes.some(isBeside) && widest !== 'keys:admin' ? ', webhooks' : '')
}
