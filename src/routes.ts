/** What a client must know to call an operation; what only the server knows stands with the operation. */
export interface Route {
  /** Method, and path below `/api`; its parameters are fields of the input, and so are those of its query or body. */
  readonly route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
  /** Takes effect once per idempotency key. */
  readonly idempotent?: true
  /** Refused where the caller has seen another version than the latest (If-Match). */
  readonly versioned?: true
  /** Takes `dryRun` beside its input: then it answers what would be saved, and saves nothing. */
  readonly dryRun?: true
  /** What it does to what is stored, where its method does not tell: nothing, or the same however often it is called. */
  readonly effect?: 'none' | 'repeatable'
  /** A request for it needs no body. */
  readonly body?: 'none'
  /** The field of the answer that holds a page of a longer list; `offset` and `limit` lead to the others. */
  readonly pages?: string
  /** Has comma-separated values for callers who ask for them by `format=csv`. */
  readonly tabular?: true
}

/**
 * Where each operation is reached, by its name: the operations take their routes from here, and so does the SDK,
 * which may import nothing of the server. This file imports nothing.
 */
export const ROUTES = {
  create_bundle: { route: 'POST /links', idempotent: true, dryRun: true },
  get_bundle: { route: 'GET /links/:slug' },
  update_bundle: { route: 'PATCH /links/:slug', versioned: true, dryRun: true },
  delete_bundle: { route: 'DELETE /links/:slug', versioned: true },
  restore_bundle: { route: 'POST /links/:slug/restore', body: 'none', effect: 'repeatable' },
  list_bundles: { route: 'GET /me/links', pages: 'bundles' },
  list_versions: { route: 'GET /links/:slug/versions' },
  restore_version: { route: 'POST /links/:slug/versions/:versionNumber/restore', body: 'none', versioned: true },
  preview_policy: { route: 'POST /links/:slug/policy/preview', effect: 'none' },
  claim_bundle: { route: 'POST /claims' },
  list_claims: { route: 'GET /me/claims' },
  get_insights: { route: 'GET /links/:slug/insights', tabular: true },
  record_event: { route: 'POST /links/:slug/events' },
  report_bundle: { route: 'POST /links/:slug/reports' },
  who_am_i: { route: 'GET /me' },
  export_data: { route: 'GET /me/export' },
  create_key: { route: 'POST /me/keys', idempotent: true },
  list_keys: { route: 'GET /me/keys' },
  revoke_key: { route: 'DELETE /me/keys', effect: 'repeatable' },
} as const satisfies Record<string, Route>
