import { EXPORT_FIELDS } from './export-glossary.ts'
import { INSIGHTS_FIELDS } from './insights-glossary.ts'
import { LAUNCHER_FIELDS } from './launcher-glossary.ts'
import { LINK_FIELDS } from './link-glossary.ts'
import { PROPOSAL_FIELDS } from './proposal-glossary.ts'
import { WEBHOOK_FIELDS } from './webhook-glossary.ts'

const CURSOR = 'WzQyXQ'

/**
 * Describes every field of the API, with an example: by `Shape.name` or `parent.name`, by `parent.*` if all fields of a parent
 * are alike, and by name alone if it means the same everywhere. Documents and tools use it wherever the field appears, and list
 * fields in this order.
 */
export const FIELD_DOCS: Record<string, readonly [description: string, example?: unknown]> = {
  slug: ['Identifies the bundle: the last part of its link, /l/<slug>; or ext:<externalId>.', 'launch-day'],
  'create_bundle.slug': [
    'The last part of the link, /l/<slug>: 3 to 64 lower-case letters, digits and single hyphens; generated if omitted.',
    'launch-day',
  ],
  newSlug: ['The slug of the copy; generated if omitted.', 'launch-day-2'],
  to: [
    'Who gets the bundle: an organisation in which you are an editor or admin, or yourself.',
    { type: 'organization', organizationId: 'o_27pd' },
  ],
  shiftDays: ['How many days later its times are, those in rules too.', 7],
  'duplicate_bundle.timeZone': ['Where times keep their hour; by default UTC.', 'Europe/Berlin'],
  'Draft.slug': ['The requested slug; null if one will be generated.', 'launch-day'],
  url: ['The link to share: it opens the launcher.', 'https://openall.example/l/launch-day'],
  'Draft.url': ['The link; null if a slug will be generated.', 'https://openall.example/l/launch-day'],
  'tabs.url': ['The tab’s URL: http: or https:.', 'https://example.com/plan'],
  title: ['The title, shown on the launcher; null for none.', 'Launch day'],
  description: ['What the bundle is for, shown below its title; null for none.', 'Everything for Friday.'],
  urls: [
    'The URLs, in the order in which they are shown and opened: http: or https:.',
    ['https://example.com/plan', 'https://example.com/status'],
  ],
  urlMetadata: [
    'Metadata of each URL, in the order of `urls`; {} for none. A shorter list is padded with {}.',
    [{ note: 'Read this first' }, {}],
  ],
  variables: [
    'Up to 5 values viewers fill in: {name} stands for one in title, description, notes, sections, and in links behind the host.',
    [{ name: 'id', label: 'Customer number', example: '4711' }],
  ],
  ...LINK_FIELDS,
  opensAt: ['When it opens, with a UTC offset; null: at once. Before: 403 NOT_OPEN_YET.', '2026-12-01T09:00:00.000Z'],
  closesAt: ['When it closes, after `opensAt`; null: never. From then on: 410 CLOSED.', '2026-12-24T18:00:00.000Z'],
  closedNote: ['What viewers read once it has closed; null for none.', 'The sign-up is over. See you next year!'],
  access: ['Who sees it: anyone with the link, members, or whoever has the password.', 'link'],
  copyable: ['Whether viewers can make a copy of what they see; false by default.', true],
  password: ['For `access` `password`: 8 to 128 characters.', 'four stairs down'],
  resolutionPolicy: [
    'Shows different viewers different tabs; null for none. If no rule matches, the viewer gets the bundle’s own `urls`. ' +
      'At most 128 KiB of JSON. For example, {"version":1,"rules":[{"name":"Acme staff","when":{"op":"equals","field":' +
      '"emailDomain","value":"acme.com"},"tabs":[{"url":"https://intranet.acme.com/plan"}]}]} shows people with an address ' +
      'at acme.com their own plan, and everyone else `urls`.',
  ],
  version: ['The version of the policy language: 1.', 1],
  rules: ['Tried in order; the first match wins.'],
  'rules.id': ['Generated. Send it back to keep the rule’s identity; omit it for a new rule.', 'r_4fGk2bNq8Z'],
  'rules.name': ['The rule’s name, unique within the policy.', 'Acme staff'],
  showBadge: ['Whether matching viewers see “For: <name>”.', true],
  when: ['Which viewers the rule is for.', { op: 'equals', field: 'emailDomain', value: 'acme.com' }],
  tabs: ['The tabs that matching viewers get instead of the bundle’s URLs.', [{ url: 'https://example.com/plan' }]],
  Condition: [
    'A condition on the viewer. and, or (`of`: conditions) and not (`of`: one) combine conditions, at most 4 levels deep. ' +
      'equals, startsWith, endsWith, contains (`field`, `value`) and in (`field`, `values`) compare a field with a string, ' +
      'ignoring case; exists (`field`): it is known; signedIn; before, after (`field`: now, `value`: a time with its UTC ' +
      'offset); timeWindow (`days`, `from`, `to`, `timeZone`). Fields: emailDomain (of a signed-in viewer’s verified ' +
      'address), orgRole (viewer, editor or admin in the owning organisation), language (such as de-AT), client (browser, ' +
      'agent, script), device (desktop, mobile, tablet), os and browser (families such as ios, firefox), country (two ' +
      'letters), referrerDomain, query.<name> of the link (of a variable its value). An unknown field does not match.',
    { op: 'equals', field: 'emailDomain', value: 'acme.com' },
  ],
  TracedCondition: [
    'A condition, with whether it matches the viewer at each of its nodes.',
    { op: 'equals', matched: true, field: 'emailDomain', value: 'acme.com' },
  ],
  of: ['The combined conditions.'],
  field: ['The field to compare.'],
  value: ['The value to compare with.'],
  values: ['Matches any of these.'],
  ...LAUNCHER_FIELDS,
  days: ['The days on which the window opens.'],
  'Condition.from': ['When it opens, HH:MM.'],
  'Condition.to': ['When it closes, HH:MM up to 24:00; if not later than `from`, on the next day.'],
  timeZone: ['The IANA time zone, such as Europe/Berlin.'],
  matched: ['Whether it matches this viewer.', true],
  email: ['Where to email the claim link, for callers without an account. Never shown again.', 'someone@example.com'],
  source: ['What created it; by default `mcp` from a tool, `web` from a page, else `api`.', 'api'],
  dryRun: ['true: return what would be saved, with any warnings, and save nothing.', true],
  idempotencyKey: [
    'Any string: calls with the same key within 24 hours take effect once, so a retry is safe.',
    'import-2026-11-20',
  ],
  expectedVersion: [
    'The `versionNumber` that you have read: if there is a newer one, the call fails with VERSION_CONFLICT and changes nothing.',
    3,
  ],
  limit: ['The maximum number of results.', 20],
  offset: ['How many results to skip.', 0],
  cursor: ['The `nextCursor` of the page before.', CURSOR],
  nextCursor: ['The `cursor` of the next page; missing on the last.', CURSOR],
  q: [
    'Lists only bundles with this text in their slug, texts, URLs, notes, sections or tags, ignoring case.',
    'launch',
  ],
  tag: ['Lists only bundles with a URL that has exactly this tag.', 'live'],
  before: ['Lists only versions older than this one.', 4],
  sort: ['`created`: newest first; `updated`: last edited first; `title`: from A to Z.', 'created'],
  state: ['`deleted`: deleted bundles, which restore_bundle can restore.', 'active'],
  range: ['The days, today included.', '7d'],
  'Insights.range': ['The period counted.'],
  versionNumber: ['The bundle’s version: 1 on creation, one more with every edit.', 2],
  'Bundle.versionNumber': [
    'The bundle’s version: 1 on creation, one more with every edit. Send it as the expected version of an edit, so that ' +
      'you overwrite no one else’s edit.',
    2,
  ],
  viewer: ['The viewer to simulate; omitted fields are unknown.', { emailDomain: 'acme.com', language: 'de' }],
  signedIn: ['By default, if they have an emailDomain or orgRole.', true],
  emailDomain: ['The domain of their verified address.', 'acme.com'],
  orgRole: ['Their role in the organisation that owns the bundle.', 'editor'],
  language: ['Their browser’s preferred language.', 'de-AT'],
  'viewer.client': ['What reads the link.', 'agent'],
  device: ['Their kind of device.', 'mobile'],
  os: ['The family of their operating system.', 'ios'],
  browser: ['The family of their browser.', 'safari'],
  country: ['Two letters.', 'AT'],
  query: ['The query parameters of the link, by name.', { ref: 'newsletter' }],
  referrerDomain: ['The host of the page that linked here.', 'news.example'],
  now: ['The time, with its UTC offset; by default, now.', '2026-11-02T09:00:00Z'],
  token: [
    'The claim token of the bundle: the last part of its claim link.',
    'b3Z4cGxhaW4tdG9rZW4tb2YtdGhpcnR5LXR3by1ieQ',
  ],
  reason: ['What is wrong with it.', 'phishing'],
  detail: ['What to look at, in your own words.', 'The third link asks for bank details.'],
  kind: ['What happened.', 'open_all'],
  'record_event.urls': ['With open_tabs: the links, as the bundle has them.', ['https://example.com/']],
  matchedRuleId: ['The rule that the viewer matched; null if none.', 'r_4fGk2bNq8Z'],
  matchedRuleName: ['The name of that rule.', 'Acme staff'],
  trace: ['Every rule in order, including those after the match, with the result of each of its conditions.'],
  condition: ['The rule’s condition, with the result of each of its nodes.'],
  warnings: ['What is allowed but probably a mistake.'],
  path: ['Where, as a JSON path.', 'resolutionPolicy.rules[1]'],
  message: ['What is probably wrong there.', 'is unreachable: everyone it matches gets the tabs of rules[0]'],
  id: ['Identifies the key.', 7],
  ...PROPOSAL_FIELDS,
  name: ['A name to recognise the key by.', 'nightly import'],
  scopes: [
    'What it may do: links:read reads; links:propose also proposes edits; links:write also creates, edits, deletes and ' +
      'claims; keys:admin also creates and revokes keys.',
    ['links:write'],
  ],
  rateLimitPerHour: ['Requests in any 60 minutes; 0 for no limit.', 1000],
  claimUrl: ['Opens a page where the bundle can be claimed into an account.', 'https://openall.example/claim/b3Z4…'],
  claimToken: [
    'The same as a token for claim_bundle. Not repeated for a short idempotency key: see warning.',
    'b3Z4cGxhaW4tdG9rZW4tb2YtdGhpcnR5LXR3by1ieQ',
  ],
  claimExpiresAt: ['When both expire.', '2026-11-27T09:00:00.000Z'],
  warning: ['What to store now, because it is shown only once.', 'rawKey is shown only this once.'],
  owner: ['The owner; null in a dry run without an account.', { type: 'user', userId: 'u_19xk' }],
  subject: ['The user or organisation that you act for.', { type: 'user', userId: 'u_19xk' }],
  type: ['A user or an organisation.', 'user'],
  userId: ['Identifies the user.', 'u_19xk'],
  organizationId: ['Identifies the organisation.', 'o_27pd'],
  role: ['Your role there: viewers read, editors also write, admins also delete and manage keys.', 'admin'],
  createdAt: ['When it was created.', '2026-11-20T09:00:00.000Z'],
  updatedAt: ['When it was last edited.', '2026-11-20T09:30:00.000Z'],
  isPinned: ['Whether you have pinned it: it then comes first in your list.', true],
  pins: ['The bundles that the person has pinned.'],
  pinnedAt: ['When it was pinned.', '2026-11-21T09:00:00.000Z'],
  deletedAt: ['When it was deleted.', '2026-11-21T09:00:00.000Z'],
  externalId: [
    'Your own system’s name for it, up to 128 characters, unique among your bundles. `ext:<externalId>` stands for its slug in ' +
      'every call. Only you see it.',
    'crm-4711',
  ],
  'list_bundles.externalId': ['Lists only the bundle with exactly this external id.', 'crm-4711'],
  metadata: [
    'Up to 50 texts of your own, by key; null for none. Only you see them. `client` is the Service-Client header of its creation.',
    { client: 'acme-importer/1.4', team: 'sales' },
  ],
  client: ['`<client>/<tag>`.', 'acme-importer/1.4'],
  bundle: ['The bundle as it would be saved; new rules get their ids when saved.'],
  bundles: ['The bundles, newest first.'],
  'create_bundles.bundles': ['The bundles to create.'],
  edits: ['The edits, each with the `slug` of its bundle.'],
  'OneEdit.expectedVersion': ['Like If-Match: the edit is refused if there is a newer version.', 3],
  results: ['What became of each entry, in their order.'],
  'BulkResult.status': ['The HTTP status that it would have had by itself.', 201],
  'BulkResult.bundle': ['The bundle that was created or edited.'],
  pagination: ['The requested page.', { limit: 20, offset: 0 }],
  hasMore: ['Whether there are more after these.', false],
  versions: ['All versions of the bundle, newest first.'],
  editedByIdentityUserId: ['Who made the edit; null for a bundle created without an account.', 'u_19xk'],
  editedAt: ['When the edit was made.', '2026-11-20T09:30:00.000Z'],
  ...INSIGHTS_FIELDS,
  apiKey: ['The key, without its secret.'],
  apiKeys: ['The keys, newest first, including revoked ones.'],
  rawKey: ['The key itself, for the Authorization header. Shown only once.', 'oa_3fGkQ9xT2mWz.h72Q…'],
  scope: ['Whether it acts for a user or an organisation.', 'user'],
  keyPrefix: ['The public part of the key.', 'oa_3fGkQ9xT2mWz'],
  lastUsedAt: ['When it was last used, up to a minute late; null if never.', '2026-11-20T09:29:00.000Z'],
  app: ['The app that signed in with OAuth and renews this key; a key that a person created has none.'],
  'app.name': ['What the app calls itself.', 'Claude Code'],
  'app.host': [
    'Where its sign-in led back to: a host, or an app’s own scheme; `device` if its code was typed in.',
    'localhost',
  ],
  'app.endsAt': ['When it ends unless the app renews it.', '2026-12-20T09:29:00.000Z'],
  revokedAt: ['When it was revoked; null if it is active.', null],
  ...WEBHOOK_FIELDS,
  ...EXPORT_FIELDS,
  error: ['What is wrong, and what to do about it.', 'urls[3] must be an http: or https: URL'],
  code: ['The kind of error, for programs.', 'INVALID_URLS'],
  errors: ['Everything that is wrong with the input, if it is more than one thing; the first as in `error`.'],
  'errors.path': ['The field, as a JSON path.', 'urls[3]'],
  'errors.message': ['What is wrong with it, and what to do about it.', 'urls[3] must be an http: or https: URL'],
  retryAfterSeconds: ['Seconds to wait until one request is accepted.', 12],
  requestId: ['What the operator finds the request by; as in X-Request-Id.', '5e2e4a4b-8f6c-4d0e-9a53-0c6c1c8f7d21'],
  docUrl: ['What the code means, on this server.', 'https://openall.example/docs/errors#invalid_urls'],
}
