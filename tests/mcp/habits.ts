// How models call tools: what they were seen to send, and what the answer makes of it.

/** What a habit is sent to: a bundle with the link `A`, and the address of the service. */
export interface Given {
  slug: string
  origin: string
  /** Makes a bundle without an account, and says where it is claimed. */
  claim(): Promise<string>
}

type Sent = Record<string, unknown> | string

/**
 * A habit, with what is answered: the start of the result, if it is right at once, else what a refusal says, from which the next call
 * can be right.
 */
export type Habit = readonly [
  what: string,
  tool: string,
  sent: Sent | ((given: Given) => Sent | Promise<Sent>),
  answer: { right: object | ((given: Given) => object) } | { says: string },
]

export const A = 'https://example.com/a'
const B = 'https://example.com/b'

const made = { right: { versionNumber: 1 } }
const itself = { right: ({ slug }: Given) => ({ slug }) }
const named =
  (slug: (given: Given) => string): ((given: Given) => Sent) =>
  (given) => ({ slug: slug(given) })
const edit =
  (changes: Record<string, unknown>): ((given: Given) => Sent) =>
  ({ slug }) => ({ slug, ...changes })
const rule = (when: unknown) => ({ version: 1, rules: [{ name: 'a', when, tabs: [{ url: A }] }] })

/** What models were seen to do. */
export const HABITS: readonly Habit[] = [
  [
    'nulls for every optional field',
    'create_bundle',
    {
      urls: [A],
      ...Object.fromEntries(
        (
          'slug title description urlMetadata variables opensAt closesAt closedNote access copyable icons password ' +
          'resolutionPolicy externalId metadata dryRun idempotencyKey'
        )
          .split(' ')
          .map((name) => [name, null]),
      ),
    },
    made,
  ],
  [
    'nulls inside metadata',
    'create_bundle',
    { urls: [A], urlMetadata: [{ note: 'x', section: null, tags: null, openPolicy: null, check: null }] },
    made,
  ],
  [
    'empty texts',
    'create_bundle',
    { urls: [A], slug: '', title: '', description: '', opensAt: '', externalId: '' },
    { says: 'externalId must be a text that is not blank: for none, send null' },
  ],
  [
    'nulls in a list’s query',
    'list_bundles',
    { q: null, tag: null, limit: null, cursor: null, state: null },
    { right: { pagination: { limit: 20, offset: 0 } } },
  ],
  ['nulls in a report’s query', 'get_insights', edit({ range: null, from: null, to: null }), itself],
  ['a limit as text', 'list_bundles', { limit: '5' }, { right: { pagination: { limit: 5 } } }],
  ['an offset as the text of a float', 'list_bundles', { offset: '5.0' }, { right: { pagination: { offset: 5 } } }],
  ['a version as text', 'update_bundle', edit({ title: 'x', expectedVersion: '1' }), { right: { title: 'x' } }],
  ['a version as in an ETag', 'update_bundle', edit({ title: 'x', expectedVersion: 'v1' }), { right: { title: 'x' } }],
  ['true as text', 'create_bundle', { urls: [A], dryRun: 'true' }, { right: { dryRun: true } }],
  ['yes for true', 'update_bundle', edit({ copyable: 'yes' }), { right: { copyable: true } }],
  ['one URL as text', 'create_bundle', { urls: A }, { says: `did you mean ["${A}"]?` }],
  ['a list as its JSON', 'create_bundle', { urls: JSON.stringify([A, B]) }, made],
  ['URLs with commas', 'create_bundle', { urls: `${A}, ${B}` }, { says: `did you mean ["${A}", "${B}"]?` }],
  ['URLs on lines', 'create_bundle', { urls: `${A}\n${B}` }, { says: `did you mean ["${A}", "${B}"]?` }],
  [
    'URLs as objects',
    'create_bundle',
    { urls: [{ url: A, note: 'n' }] },
    { says: `did you mean "${A}"? Notes and tags go into urlMetadata` },
  ],
  ['links for urls', 'create_bundle', { links: [A], name: 'N' }, { says: 'did you mean urls instead of links?' }],
  ['tabs for urls', 'create_bundle', { tabs: [{ url: A }] }, { says: 'did you mean urls instead of tabs?' }],
  ['a host for a URL', 'create_bundle', { urls: ['example.com/a'] }, { says: `did you mean "${A}"?` }],
  ['metadata as its JSON', 'create_bundle', { urls: [A], urlMetadata: '[{"note":"x"}]' }, made],
  ['all arguments as their JSON', 'create_bundle', JSON.stringify({ urls: [A] }), made],
  ['arguments in input', 'create_bundle', { input: { urls: [A] } }, made],
  ['arguments in body', 'update_bundle', edit({ body: { title: 'x' } }), { right: { title: 'x' } }],
  ['a link for a slug', 'get_bundle', named(({ origin, slug }) => `${origin}/l/${slug}`), itself],
  ['a link to JSON', 'get_bundle', named(({ origin, slug }) => `${origin}/l/${slug}.json`), itself],
  ['a page of the dashboard', 'get_bundle', named(({ origin, slug }) => `${origin}/dashboard/links/${slug}`), itself],
  ['a path', 'get_bundle', named(({ slug }) => `/l/${slug}`), itself],
  ['a path without its slash', 'get_bundle', named(({ slug }) => `l/${slug}`), itself],
  ['spaces around a slug', 'get_bundle', named(({ slug }) => ` ${slug} `), itself],
  ['capitals', 'get_bundle', named(({ slug }) => slug.toUpperCase()), itself],
  ['a full stop', 'get_bundle', named(({ slug }) => `${slug}.`), itself],
  ['quotes', 'get_bundle', named(({ slug }) => `"${slug}"`), itself],
  [
    'a link to another server',
    'get_bundle',
    named(({ slug }) => `https://other.example/l/${slug}`),
    { says: 'slug is a link to other.example, but this is ' },
  ],
  ['a resource', 'get_bundle', named(({ slug }) => `bundle://${slug}`), itself],
  ['a launcher as a resource', 'get_tabs', named(({ slug }) => `openall://l/${slug}`), itself],
  ['id', 'get_bundle', ({ slug }) => ({ id: slug }), itself],
  ['bundle_id', 'get_bundle', ({ slug }) => ({ bundle_id: slug }), itself],
  ['url', 'get_bundle', ({ origin, slug }) => ({ url: `${origin}/l/${slug}` }), itself],
  ['a title', 'get_bundle', { slug: 'Launch day' }, { says: 'list_bundles with q finds it by its title' }],
  ['snake case', 'update_bundle', edit({ add_urls: [{ url: B }] }), { right: { urls: [A, B] } }],
  ['texts for links', 'update_bundle', edit({ addUrls: [B] }), { right: { urls: [A, B] } }],
  ['one object for links', 'update_bundle', edit({ addUrls: { url: B } }), { right: { urls: [A, B] } }],
  [
    'the place of a link',
    'update_bundle',
    edit({ removeUrls: [0] }),
    { says: 'links are named by their URL, not by their place' },
  ],
  ['objects for URLs', 'update_bundle', edit({ addUrls: [B], removeUrls: [{ url: A }] }), { right: { urls: [B] } }],
  [
    'a list for metadata by URL',
    'update_bundle',
    edit({ setMetadata: [{ url: A, note: 'x' }] }),
    { says: `did you mean {"${A}": {"note": "x"}}?` },
  ],
  [
    'tags as text',
    'update_bundle',
    edit({ setMetadata: { [A]: { tags: 'a, b' } } }),
    { says: 'did you mean ["a", "b"]?' },
  ],
  [
    'tags at the top',
    'create_bundle',
    { urls: [A], tags: ['x'] },
    { says: 'did you mean urlMetadata: [{"tags": ["x"]}]?' },
  ],
  ['notes at the top', 'create_bundle', { urls: [A], notes: ['x'] }, { says: 'did you mean urlMetadata?' }],
  ['a day for a time', 'update_bundle', edit({ opensAt: '2027-01-01' }), { says: 'a time with its zone, such as' }],
  [
    'a time without its zone',
    'update_bundle',
    edit({ opensAt: '2027-01-01T09:00:00' }),
    { says: 'a time with its zone, such as' },
  ],
  [
    'seconds since 1970',
    'update_bundle',
    edit({ opensAt: 1798761600 }),
    { says: 'did you mean "2027-01-01T00:00:00.000Z"?' },
  ],
  ['a time in words', 'update_bundle', edit({ opensAt: 'tomorrow at 9' }), { says: 'a time with its zone, such as' }],
  ['public', 'update_bundle', edit({ access: 'public' }), { says: 'did you mean "link"?' }],
  ['private', 'update_bundle', edit({ access: 'private' }), { says: '"members" the organisation’s members' }],
  ['access without its password', 'update_bundle', edit({ access: 'password' }), { says: 'password is required' }],
  [
    'a policy as guessed',
    'update_bundle',
    edit({ resolutionPolicy: { rules: [{ if: { field: 'country', operator: 'eq', value: 'DE' }, tabs: [A] }] } }),
    { says: 'did you mean when instead of if?' },
  ],
  [
    'a guessed operator',
    'update_bundle',
    edit({ resolutionPolicy: rule({ op: 'eq', field: 'country', value: 'DE' }) }),
    { says: 'did you mean "equals"?' },
  ],
  ['a version as text in a policy', 'update_bundle', edit({ resolutionPolicy: { version: '1', rules: [] } }), itself],
  ['a policy as its JSON', 'update_bundle', edit({ resolutionPolicy: '{"version":1,"rules":[]}' }), itself],
  [
    'rules without their policy',
    'update_bundle',
    edit({ resolutionPolicy: rule({ op: 'signedIn' }).rules }),
    { says: 'did you mean {"version": 1, "rules": [{"name": "a",' },
  ],
  [
    'a text for a list in a condition',
    'preview_policy',
    edit({ resolutionPolicy: rule({ op: 'in', field: 'country', value: 'DE' }) }),
    { says: 'did you mean ["DE"]?' },
  ],
  [
    'the name of a country',
    'preview_policy',
    edit({ viewer: { country: 'Germany' } }),
    { says: 'viewer.country must be a country’s code of two letters, such as DE' },
  ],
  ['a range in words', 'get_insights', edit({ range: 'last week' }), { says: 'range must be one of 7d, 30d, 90d' }],
  ['a range as a number', 'get_insights', edit({ range: 7 }), { right: ({ slug }) => ({ slug }) }],
  ['a time for a day', 'get_insights', edit({ from: '2026-11-01T00:00:00Z' }), { says: 'did you mean "2026-11-01"?' }],
  ['days', 'get_insights', edit({ days: 7 }), { says: 'did you mean range: "7d"?' }],
  ['variables as names', 'create_bundle', { urls: ['https://example.com/{id}'], variables: ['id'] }, made],
  [
    'variables by name',
    'create_bundle',
    { urls: ['https://example.com/{id}'], variables: { id: { label: 'x' } } },
    { says: 'did you mean [{"name": "id", "label": "x"}]?' },
  ],
  [
    'a variable in camel case',
    'create_bundle',
    { urls: ['https://example.com/{orderId}'], variables: [{ name: 'orderId' }] },
    { says: 'variables[0].name must be lower-case letters, digits and _' },
  ],
  [
    'values as a list',
    'get_tabs',
    edit({ values: [{ name: 'id', value: '1' }] }),
    { says: 'did you mean {"id": "1"}?' },
  ],
  ['a number as a value', 'get_tabs', edit({ values: { id: 4711 } }), itself],
  ['the link of a claim', 'claim_bundle', async ({ claim }) => ({ claimUrl: await claim() }), made],
  ['the same for a token', 'claim_bundle', async ({ claim }) => ({ token: await claim() }), made],
  ['half a scope', 'create_key', { name: 'x', scopes: ['read'] }, { says: 'did you mean "links:read"?' }],
  [
    'a scope as text',
    'create_key',
    { name: 'x', scopes: 'links:read' },
    { right: { apiKey: { scopes: ['links:read'] } } },
  ],
  ['the prefix of a key', 'revoke_key', { id: 'oa_abc' }, { says: 'the id of a key is a number from list_keys' }],
  ['an id as text', 'revoke_key', { id: '999999' }, { says: 'You have no key with the id 999999.' }],
  [
    'a receiver without to',
    'transfer_bundle',
    edit({ organizationId: 'x' }),
    { says: 'did you mean to: {"type": "organization", "organizationId": "x"}?' },
  ],
  ['me', 'transfer_bundle', edit({ to: 'me' }), { says: ': send {"type": "organization",' }],
  [
    'an event as text',
    'create_webhook',
    { url: 'http://localhost:4999/', events: 'bundle.created' },
    { says: 'url must lead to a public address' },
  ],
  [
    'a pattern of events',
    'create_webhook',
    { url: 'https://example.com/', events: ['bundle.*'] },
    { says: 'did you mean each of "bundle.claimed", "bundle.created", ' },
  ],
  ['a pattern of types', 'list_events', { type: 'bundle.*' }, { says: 'did you mean "bundle"?' }],
  ['a day for since', 'list_events', { since: '2026-11-01' }, { says: 'a time with its zone, such as' }],
  ['links for bundles', 'create_bundles', { bundles: [A] }, { says: `did you mean {"urls": ["${A}"]}?` }],
  [
    'one bundle of two that is wrong',
    'create_bundles',
    { bundles: [{ urls: [A] }, { urls: ['nope'] }] },
    { right: { results: [{ status: 201 }, { status: 400, code: 'INVALID_URLS' }] } },
  ],
  ['items', 'create_bundles', { items: [{ urls: [A] }] }, { says: 'did you mean bundles instead of items?' }],
  ['a tool by another word', 'get_link', edit({}), { says: 'There is no tool get_link: did you mean get_bundle?' }],
  [
    'what is gone',
    'delete_bundle',
    { slug: 'never-was-1' },
    { says: 'There is no bundle with this slug. A slug is what a link ends in' },
  ],
]

/** Their siblings. */
export const SIBLINGS: readonly Habit[] = [
  [
    'null for all arguments but one',
    'list_events',
    { type: null, since: null, limit: null, cursor: null },
    { right: {} },
  ],
  [
    'nulls in conditions, as of all operators at once',
    'preview_policy',
    edit({
      resolutionPolicy: rule({ op: 'signedIn', field: null, value: null, values: null, of: null, days: null }),
      viewer: { country: null, now: null, query: null },
    }),
    { right: { matchedRuleName: null } },
  ],
  ['null for a required field', 'create_bundle', { urls: null }, { says: 'urls must be an array' }],
  [
    'null for nothing to change',
    'update_bundle',
    edit({ copyable: null }),
    { says: 'with at least one field to change' },
  ],
  ['null for a title that goes', 'update_bundle', edit({ title: null }), { right: { title: null } }],
  ['nulls of call options', 'update_bundle', edit({ title: 'x', dryRun: null, expectedVersion: null }), itself],
  ['call options in snake case', 'create_bundle', { urls: [A], dry_run: true }, { right: { dryRun: true } }],
  ['arguments in their own JSON', 'create_bundle', { input: JSON.stringify({ urls: [A] }) }, made],
  ['a slug in a sentence', 'get_bundle', named(({ origin, slug }) => `<${origin}/l/${slug}?a=b>.`), itself],
  [
    'a page of another server’s dashboard',
    'get_bundle',
    named(({ slug }) => `https://other.example/dashboard/links/${slug}`),
    { says: 'slug is a link to other.example, but this is ' },
  ],
  [
    'links in one text',
    'update_bundle',
    edit({ addUrls: `${B}?x ${B}?y` }),
    { right: { urls: [A, `${B}?x`, `${B}?y`] } },
  ],
  ['scopes in one text', 'create_key', { name: 'x', scopes: 'links:read links:propose' }, { right: { apiKey: {} } }],
  [
    'a fact beside its viewer',
    'preview_policy',
    edit({ country: 'DE' }),
    { says: 'did you mean viewer: {"country": "DE"}?' },
  ],
  [
    'a slug as an organisation’s',
    'transfer_bundle',
    edit({ userId: 'u' }),
    { says: 'did you mean to: {"type": "user"' },
  ],
  ['keyPrefix', 'revoke_key', { keyPrefix: 'oa_abc' }, { says: 'the id of a key is a number from list_keys' }],
  ['the name of no country', 'preview_policy', edit({ viewer: { country: 'Elbonia' } }), { says: 'such as DE' }],
  ['a name in another case', 'preview_policy', edit({ viewer: { country: 'france' } }), { says: 'such as FR' }],
  [
    'milliseconds since 1970',
    'update_bundle',
    edit({ closesAt: 1798761600000 }),
    { says: '"2027-01-01T00:00:00.000Z"' },
  ],
  ['a tool mistyped', 'list_bundle', {}, { says: 'did you mean list_bundles?' }],
]
