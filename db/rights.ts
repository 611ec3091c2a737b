// What members and keys may do, as it is stored. What it allows is said in src/identity/roles.ts.

/** Roles over a bundle, least first (decisions 3). */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** What a credential may do, least first: each scope holds those before it. */
export const SCOPES = ['links:read', 'links:write', 'keys:admin'] as const
export type Scope = (typeof SCOPES)[number]
