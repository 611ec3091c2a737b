// Stored rights of members and keys. What they allow is defined in src/identity/caller.ts.

/** Roles over a bundle, lowest first. */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** What a credential may do, lowest first; what each includes is in src/identity/caller.ts. */
export const SCOPES = ['links:read', 'links:propose', 'links:write', 'webhooks:write', 'keys:admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Where the token of an app is valid: only for MCP, or for the whole API, which includes it. */
export const AUDIENCES = ['mcp', 'api'] as const
export type Audience = (typeof AUDIENCES)[number]
