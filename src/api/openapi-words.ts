import { routes } from '../core/routes.ts'
import type { Scope } from '../identity/caller.ts'
import type { OperationName } from '../operations/table.ts'

// Texts of the document that all operations share, and the part to which each operation belongs.

export const INTRODUCTION =
  'Answers and errors are JSON unless an operation says otherwise. An error is `{ error, code, requestId, docUrl }`: ' +
  'a sentence that says what to do, a code for programs, an id for the operator, and where the code is explained; if more than ' +
  'one field of an input is wrong, `errors` has one for each, up to 100. `x-errors` lists every code, those of sign-in (`/api/auth`) too. Times are ISO 8601 in UTC. Unknown fields are refused. What a bundle’s link shows to whoever ' +
  `has it is at \`${routes.launcher.page.template}\` as a page, as Markdown or as JSON, by \`Accept\` or with \`.md\` or \`.json\`; ` +
  `\`${routes.launcher.feed.template}\` (Atom) ` +
  `tells what changed, and \`${routes.launcher.calendar.template}\` reminds of it.`

/** The request headers of call options. */
export const HEADERS = {
  idempotencyKey: 'Idempotency-Key',
  expectedVersion: 'If-Match',
} as const

export const IF_MATCH = {
  type: 'string',
  minimum: undefined,
  maximum: undefined,
  pattern: '^(\\*|"v[0-9]{1,15}")$',
  description:
    '`"v<N>"` with the `versionNumber` that you have read: if the bundle has changed since, the answer is 412 and nothing ' +
    'changes.',
}
export const SERVICE_CLIENT = {
  type: 'string',
  pattern: '^[A-Za-z0-9._-]{1,40}/[A-Za-z0-9._-]{1,40}$',
  description:
    'The client that creates the bundle, as <client>/<tag>; stored in its `metadata`. Any other value is ignored.',
}

/** The parts of the API, in the order of the document. */
export const TAG_DOCS = {
  Bundles: 'Create, read, edit, delete and list bundles.',
  Versions: 'What a bundle was before each edit.',
  Proposals: 'Edits that somebody suggests, and an editor accepts or rejects; the dashboard calls them suggestions.',
  Policies: 'Rules that show different tabs to different viewers.',
  Claims: 'Move bundles that were created without an account into one.',
  Insights: 'Counts of views and clicks.',
  Launchers: 'What a bundle’s link shows to viewers, and what they send from its page.',
  Account: 'The credential, and the data of its subject.',
  Organisations: 'Members of organisations, and invitations.',
  Keys: 'API keys.',
  Webhooks: 'URLs that are told about events.',
} as const

/** The part to which each operation belongs. */
export const TAGS: Readonly<Record<OperationName, keyof typeof TAG_DOCS>> = {
  create_bundle: 'Bundles',
  create_bundles: 'Bundles',
  get_bundle: 'Bundles',
  update_bundle: 'Bundles',
  put_bundle: 'Bundles',
  update_bundles: 'Bundles',
  inspect_urls: 'Bundles',
  replace_url: 'Bundles',
  delete_bundle: 'Bundles',
  restore_bundle: 'Bundles',
  duplicate_bundle: 'Bundles',
  rename_bundle: 'Bundles',
  transfer_bundle: 'Bundles',
  list_bundles: 'Bundles',
  pin_bundle: 'Bundles',
  unpin_bundle: 'Bundles',
  list_versions: 'Versions',
  restore_version: 'Versions',
  propose_edit: 'Proposals',
  list_proposals: 'Proposals',
  list_open_proposals: 'Proposals',
  get_proposal: 'Proposals',
  accept_proposal: 'Proposals',
  reject_proposal: 'Proposals',
  withdraw_proposal: 'Proposals',
  preview_policy: 'Policies',
  claim_bundle: 'Claims',
  list_claims: 'Claims',
  get_insights: 'Insights',
  get_overview: 'Insights',
  get_tabs: 'Launchers',
  record_event: 'Launchers',
  report_bundle: 'Launchers',
  who_am_i: 'Account',
  list_events: 'Account',
  export_data: 'Account',
  list_members: 'Organisations',
  invite_member: 'Organisations',
  revoke_invitation: 'Organisations',
  update_member: 'Organisations',
  remove_member: 'Organisations',
  update_organization: 'Organisations',
  list_listed: 'Organisations',
  create_key: 'Keys',
  list_keys: 'Keys',
  revoke_key: 'Keys',
  rotate_key: 'Keys',
  create_webhook: 'Webhooks',
  list_webhooks: 'Webhooks',
  update_webhook: 'Webhooks',
  rotate_webhook_secret: 'Webhooks',
  delete_webhook: 'Webhooks',
  test_webhook: 'Webhooks',
  list_deliveries: 'Webhooks',
  redeliver: 'Webhooks',
}

/** The rights of each scope. Those of links include the ones before them, and `keys:admin` all. */
export const SCOPE_DOCS: Record<Scope, string> = {
  'links:read': 'Read bundles, versions and insights.',
  'links:propose': 'Suggest edits.',
  'links:write': 'Create, edit, delete, restore, move and claim bundles, and decide proposals.',
  'webhooks:write': 'Manage webhooks, and nothing else.',
  'keys:admin': 'Create and revoke API keys, manage webhooks and members, and export all data.',
}
