import type { Scope } from '../identity/caller.ts'

/**
 * The client-side description of an operation: its route, who may call it, how it behaves. The server's part (descriptions,
 * schemas, code) is added by the feature that implements it; see `implement`.
 */
export interface Declaration {
  /** Method and path below `/api`; path parameters, query and body are all fields of the input. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  /**
   * Who may call: anyone, anyone with a credential, or a credential with this scope. Roles over a bundle are checked
   * when it is loaded.
   */
  readonly auth: 'public' | 'authenticated' | Scope
  /** The scope that a key needs for an operation that is open to callers without a credential. */
  readonly keyScope?: Scope
  /**
   * Required proof besides the scope: that the caller owns their address, or, with a session, that they signed in within the last
   * day.
   */
  readonly proof?: readonly ('address' | 'recentSignIn')[]
  /** The setting that opens it to callers without a credential; by default SERVICE_ANONYMOUS_BUNDLES. */
  readonly openedBy?: 'inspect'
  /** The rate limit by address for callers without a credential. */
  readonly limit?: 'address' | 'report' | 'reading'
  /** Other callers to whom that limit applies: all but keys that have a limit of their own, or all. */
  readonly limitsAlso?: 'unlimited' | 'everybody'
  /** Dropped if a browser sends it from a page of another site: answered like any other, and counted against no limit. */
  readonly ownPagesOnly?: true
  /** Takes effect once per idempotency key. */
  readonly idempotent?: true
  /** Refused if the caller has not seen the latest version (If-Match). */
  readonly versioned?: true
  /** Accepts `dryRun` in its input: returns what would be saved, and saves nothing. */
  readonly dryRun?: true
  /** Can return CSV, with `format=csv`. */
  readonly csv?: true
  /** Its effect on stored data, if the method does not imply it: none, or the same however often it is called. */
  readonly effect?: 'none' | 'repeatable'
  /** Makes the service send requests to a URL that the caller chooses. */
  readonly openWorld?: true
  /** Not a tool for agents, whose list of tools is kept short. */
  readonly noTool?: true
  /** Its request has no body, or an optional one. */
  readonly body?: 'none' | 'optional'
  /** Creates a bundle and accepts `source`, the kind of client. */
  readonly takesSource?: true
  /** The field of the answer with one page of a longer list; `offset` and `limit` select others. */
  readonly pages?: string
  /** The field with all parameters of its query, by name. `slug` then also accepts a bundle’s whole link, with its query. */
  readonly query?: 'values'
  /** The field for which `slug` in the body stands, because the path already has the bundle's slug. */
  readonly bodySlug?: 'newSlug'
  /** Cached data that `execute` drops in this process after a successful call. */
  readonly invalidates?: 'launcher' | 'keys'
}

/**
 * Every operation of the service, in the order of the specification. Routes, tools, documents, SDK and command derive
 * from it. Imports no server code, because the SDK loads it; `src/api/implementations.ts` adds the implementations.
 */
export const OPERATIONS = {
  create_bundle: {
    route: 'POST /links',
    auth: 'public',
    keyScope: 'links:write',
    limit: 'address',
    idempotent: true,
    dryRun: true,
    takesSource: true,
    invalidates: 'launcher',
  },
  create_bundles: { route: 'POST /links/bulk', auth: 'links:write', idempotent: true },
  get_bundle: { route: 'GET /links/:slug', auth: 'links:read' },
  update_bundle: {
    route: 'PATCH /links/:slug',
    auth: 'links:write',
    idempotent: true,
    versioned: true,
    dryRun: true,
    invalidates: 'launcher',
  },
  put_bundle: {
    route: 'PUT /links/ext::externalId',
    auth: 'links:write',
    effect: 'repeatable',
    idempotent: true,
    versioned: true,
    dryRun: true,
    takesSource: true,
    invalidates: 'launcher',
  },
  update_bundles: { route: 'PATCH /links/bulk', auth: 'links:write', idempotent: true },
  delete_bundle: { route: 'DELETE /links/:slug', auth: 'links:write', versioned: true, invalidates: 'launcher' },
  restore_bundle: {
    route: 'POST /links/:slug/restore',
    auth: 'links:write',
    body: 'none',
    effect: 'repeatable',
    invalidates: 'launcher',
  },
  duplicate_bundle: {
    route: 'POST /links/:slug/duplicate',
    auth: 'public',
    keyScope: 'links:write',
    limit: 'address',
    body: 'optional',
    idempotent: true,
    dryRun: true,
    takesSource: true,
    invalidates: 'launcher',
  },
  rename_bundle: {
    route: 'POST /links/:slug/rename',
    bodySlug: 'newSlug',
    // Agents change a bundle's slug by `aliases` in update_bundle.
    noTool: true,
    auth: 'links:write',
    effect: 'repeatable',
    versioned: true,
    invalidates: 'launcher',
  },
  transfer_bundle: {
    route: 'POST /links/:slug/transfer',
    auth: 'links:write',
    invalidates: 'launcher',
  },
  inspect_urls: {
    route: 'POST /links/inspect',
    auth: 'public',
    keyScope: 'links:read',
    openedBy: 'inspect',
    limit: 'reading',
    effect: 'none',
    openWorld: true,
  },
  list_bundles: { route: 'GET /me/links', auth: 'links:read', pages: 'bundles' },
  replace_url: { route: 'POST /me/replace', auth: 'links:write' },
  // Only the order of the caller's own lists changes, so everyone who may read may pin.
  pin_bundle: { route: 'POST /links/:slug/pin', auth: 'links:read', body: 'optional', effect: 'repeatable' },
  unpin_bundle: { route: 'DELETE /links/:slug/pin', auth: 'links:read', effect: 'repeatable' },
  list_versions: { route: 'GET /links/:slug/versions', auth: 'links:read' },
  restore_version: {
    route: 'POST /links/:slug/versions/:versionNumber/restore',
    auth: 'links:write',
    body: 'none',
    idempotent: true,
    versioned: true,
    invalidates: 'launcher',
  },
  propose_edit: { route: 'POST /links/:slug/proposals', auth: 'links:propose', idempotent: true },
  list_proposals: { route: 'GET /links/:slug/proposals', auth: 'links:read' },
  list_open_proposals: { route: 'GET /me/proposals', auth: 'links:read' },
  get_proposal: { route: 'GET /links/:slug/proposals/:id', auth: 'links:read' },
  accept_proposal: {
    route: 'POST /links/:slug/proposals/:id/accept',
    auth: 'links:write',
    body: 'optional',
    versioned: true,
    invalidates: 'launcher',
  },
  reject_proposal: { route: 'POST /links/:slug/proposals/:id/reject', auth: 'links:write', body: 'optional' },
  withdraw_proposal: { route: 'POST /links/:slug/proposals/:id/withdraw', auth: 'links:propose', body: 'none' },
  preview_policy: { route: 'POST /links/:slug/policy/preview', auth: 'links:read', effect: 'none' },
  claim_bundle: { route: 'POST /claims', auth: 'links:write', invalidates: 'launcher' },
  // Empty without a session.
  list_claims: { route: 'GET /me/claims', auth: 'links:read', noTool: true },
  get_tabs: { route: 'GET /links/:slug/tabs', auth: 'public', limit: 'reading', query: 'values' },
  get_insights: { route: 'GET /links/:slug/insights', auth: 'links:read', csv: true },
  record_event: {
    route: 'POST /links/:slug/events',
    auth: 'public',
    limit: 'address',
    limitsAlso: 'unlimited',
    ownPagesOnly: true,
  },
  report_bundle: { route: 'POST /links/:slug/reports', auth: 'public', limit: 'report', limitsAlso: 'everybody' },
  who_am_i: { route: 'GET /me', auth: 'authenticated' },
  get_overview: { route: 'GET /me/insights', auth: 'links:read' },
  // Events for admins only are left out without that scope and role.
  list_events: { route: 'GET /me/events', auth: 'links:read', csv: true },
  export_data: { route: 'GET /me/export', auth: 'keys:admin', proof: ['recentSignIn'] },
  // Not tools, because the list has no room for them: people decide about people.
  list_members: { route: 'GET /organizations/:organizationId/members', auth: 'keys:admin', noTool: true },
  invite_member: {
    route: 'POST /organizations/:organizationId/invitations',
    auth: 'keys:admin',
    proof: ['address'],
    noTool: true,
  },
  revoke_invitation: {
    route: 'DELETE /organizations/:organizationId/invitations/:invitationId',
    auth: 'keys:admin',
    noTool: true,
  },
  update_member: {
    route: 'PATCH /organizations/:organizationId/members/:userId',
    auth: 'keys:admin',
    effect: 'repeatable',
    noTool: true,
    invalidates: 'keys',
  },
  remove_member: {
    route: 'DELETE /organizations/:organizationId/members/:userId',
    auth: 'keys:admin',
    noTool: true,
    invalidates: 'keys',
  },
  update_organization: {
    route: 'PATCH /organizations/:organizationId',
    auth: 'keys:admin',
    effect: 'repeatable',
    noTool: true,
  },
  // Viewers have its page, and members their list.
  list_listed: {
    route: 'GET /organizations/:organizationId/links',
    auth: 'public',
    limit: 'reading',
    noTool: true,
  },
  create_key: { route: 'POST /me/keys', auth: 'keys:admin', proof: ['address', 'recentSignIn'], idempotent: true },
  list_keys: { route: 'GET /me/keys', auth: 'keys:admin' },
  revoke_key: { route: 'DELETE /me/keys', auth: 'keys:admin', effect: 'repeatable', invalidates: 'keys' },
  rotate_key: {
    route: 'POST /me/keys/:id/rotate',
    auth: 'keys:admin',
    proof: ['address', 'recentSignIn'],
    body: 'optional',
    invalidates: 'keys',
  },
  create_webhook: {
    route: 'POST /me/webhooks',
    auth: 'webhooks:write',
    openWorld: true,
    proof: ['address', 'recentSignIn'],
    idempotent: true,
  },
  list_webhooks: { route: 'GET /me/webhooks', auth: 'webhooks:write' },
  update_webhook: {
    route: 'PATCH /me/webhooks/:webhookId',
    auth: 'webhooks:write',
    openWorld: true,
    proof: ['address', 'recentSignIn'],
    effect: 'repeatable',
  },
  rotate_webhook_secret: {
    route: 'POST /me/webhooks/:webhookId/rotate',
    auth: 'webhooks:write',
    proof: ['address', 'recentSignIn'],
    body: 'none',
    idempotent: true,
  },
  delete_webhook: { route: 'DELETE /me/webhooks/:webhookId', auth: 'webhooks:write' },
  test_webhook: {
    route: 'POST /me/webhooks/:webhookId/test',
    auth: 'webhooks:write',
    openWorld: true,
    body: 'none',
  },
  list_deliveries: {
    route: 'GET /me/webhooks/:webhookId/deliveries',
    auth: 'webhooks:write',
    pages: 'deliveries',
  },
  redeliver: {
    route: 'POST /me/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    auth: 'webhooks:write',
    openWorld: true,
    body: 'none',
  },
} as const satisfies Record<string, Declaration>

/** verb_noun: tool name, OpenAPI operationId, SDK method, argument of `openall call`. */
export type OperationName = keyof typeof OPERATIONS
