/** The fields of links, and of changes of single ones; see `FIELD_DOCS`. */
export const LINK_FIELDS: Record<string, readonly [description: string, example?: unknown]> = {
  addUrls: [
    'Links to add, one after the other. Never with `urls` or `urlMetadata`.',
    [{ url: 'https://example.com/chat', note: 'Say hello', at: 0 }],
  ],
  'AddedLink.url': ['Its URL: http: or https:.', 'https://example.com/chat'],
  at: ['Its place, counted from 0; by default the last.', 0],
  removeUrls: ['The URLs of links to remove, before any is added.', ['https://example.com/plan']],
  setMetadata: [
    'Metadata to change, by URL: fields that are not sent stay, and null removes one.',
    { 'https://example.com/status': { note: 'Read this last', section: null } },
  ],
  note: ['A line shown below it.', 'Read this first'],
  section: ['The heading above it; neighbours with the same share it.', 'Before you start'],
  tags: ['Tags of this tab, shown beside it.', ['live']],
  openPolicy: [
    '`auto` (the default): “Open all” opens the tab. `manual`: it is listed only, for viewers to open.',
    'auto',
  ],
  health: [
    'What the service knows of each link that it looks at; left out before the first look, or if none is wanted.',
    [{ url: 'https://example.com/plan', state: 'ok', since: '2026-11-02T09:00:00.000Z' }],
  ],
  'list_bundles.health': ['Only bundles with such a link.', 'broken'],
  'LinkHealth.url': ['The link.', 'https://example.com/plan'],
  'LinkHealth.state': [
    '`ok`; `moved` for good, to `finalUrl`; `broken`: nothing was there over three days; or `unknown` so far.',
    'moved',
  ],
  'LinkHealth.since': ['Since when it is in this state, as far as the service knows.', '2026-11-02T09:00:00.000Z'],
  'LinkHealth.finalUrl': ['Where a link that has moved leads now.', 'https://example.com/plan-2027'],
  check: ['false: never looked at whether it is broken.', false],
}
