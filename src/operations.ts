import type { Scope } from './identity/roles.ts'

/**
 * What callers and clients must know of an operation: where it is reached, who may call it, how it behaves. What only
 * the server needs (words, shapes, code) is added where a feature implements it; see `implement`.
 */
export interface Declaration {
  /** Method, and path below `/api`; its parameters are fields of the input, and so are those of its query or body. */
  readonly route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
  /**
   * Who may call: anybody, anybody with a credential, or a credential with this scope. Roles over one bundle are checked
   * where it is loaded.
   */
  readonly access: 'public' | 'authenticated' | Scope
  /** The scope that a key needs for an operation that is open to callers without one. */
  readonly keyScope?: Scope
  /**
   * What the caller must have shown beside the scope (decisions 13): that the address is theirs, or, with a session, a
   * sign-in of the last day.
   */
  readonly proof?: readonly ('address' | 'recentSignIn')[]
  /** The bucket that callers without a credential draw on; on `report` those with a session too. */
  readonly limit?: 'address' | 'report'
  /** Takes effect once per idempotency key. */
  readonly idempotent?: true
  /** Refused where the caller has seen another version than the latest (If-Match). */
  readonly versioned?: true
  /** Takes `dryRun` beside its input: then it answers what would be saved, and saves nothing. */
  readonly dryRun?: true
  /** Has comma-separated values for callers who ask for them by `format=csv`. */
  readonly csv?: true
  /** What it does to what is stored, where its method does not tell: nothing, or the same however often it is called. */
  readonly effect?: 'none' | 'repeatable'
  /** A request for it needs no body. */
  readonly body?: 'none'
  /** The field of the answer that holds a page of a longer list; `offset` and `limit` lead to the others. */
  readonly pages?: string
  /** What this process must no longer keep in memory once a call has succeeded; `execute` sees to it. */
  readonly invalidates?: 'launcher' | 'keys'
}

/**
 * The whole service, in the order of the specification. The routes, tools, documents, SDK and command are made of it. The
 * SDK may load nothing of the server, so this file imports no code, and `src/implementations.ts` adds what runs.
 */
export const OPERATIONS = {
  create_bundle: {
    route: 'POST /links',
    access: 'public',
    keyScope: 'links:write',
    limit: 'address',
    idempotent: true,
    dryRun: true,
  },
  get_bundle: { route: 'GET /links/:slug', access: 'links:read' },
  update_bundle: {
    route: 'PATCH /links/:slug',
    access: 'links:write',
    versioned: true,
    dryRun: true,
    invalidates: 'launcher',
  },
  delete_bundle: { route: 'DELETE /links/:slug', access: 'links:write', versioned: true, invalidates: 'launcher' },
  restore_bundle: {
    route: 'POST /links/:slug/restore',
    access: 'links:write',
    body: 'none',
    effect: 'repeatable',
    invalidates: 'launcher',
  },
  list_bundles: { route: 'GET /me/links', access: 'links:read', pages: 'bundles' },
  list_versions: { route: 'GET /links/:slug/versions', access: 'links:read' },
  restore_version: {
    route: 'POST /links/:slug/versions/:versionNumber/restore',
    access: 'links:write',
    body: 'none',
    versioned: true,
    invalidates: 'launcher',
  },
  preview_policy: { route: 'POST /links/:slug/policy/preview', access: 'links:read', effect: 'none' },
  claim_bundle: { route: 'POST /claims', access: 'links:write', invalidates: 'launcher' },
  list_claims: { route: 'GET /me/claims', access: 'links:read' },
  get_insights: { route: 'GET /links/:slug/insights', access: 'links:read', csv: true },
  record_event: { route: 'POST /links/:slug/events', access: 'public', limit: 'address' },
  report_bundle: { route: 'POST /links/:slug/reports', access: 'public', limit: 'report' },
  who_am_i: { route: 'GET /me', access: 'authenticated' },
  export_data: { route: 'GET /me/export', access: 'keys:admin', proof: ['recentSignIn'] },
  create_key: { route: 'POST /me/keys', access: 'keys:admin', proof: ['address', 'recentSignIn'], idempotent: true },
  list_keys: { route: 'GET /me/keys', access: 'keys:admin' },
  revoke_key: { route: 'DELETE /me/keys', access: 'keys:admin', effect: 'repeatable', invalidates: 'keys' },
} as const satisfies Record<string, Declaration>

/** verb_noun: tool name, OpenAPI id, SDK method, argument of `openall call`. */
export type OperationName = keyof typeof OPERATIONS
