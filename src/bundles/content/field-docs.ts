import type { Content } from '../../../db/schema.ts'
import { POLICY_DOC, TAB_DOCS } from '../../policies/shapes.ts'
import type { LinkName } from '../links/link-fields.ts'

// Descriptions of the fields of bundles and links, each with an example. A new field does not compile until it is described here.

type Doc = readonly [text: string, example?: unknown]

export const CONTENT_DOCS: Readonly<Record<keyof Content, Doc>> = {
  urls: [
    'The URLs, in the order shown and opened: http: or https:.',
    ['https://example.com/plan', 'https://example.com/status'],
  ],
  urlMetadata: [
    'Metadata of each URL, in order; {} for none. A shorter one is padded.',
    [{ note: 'Read this first' }, {}],
  ],
  variables: [
    'Up to 5 values viewers fill in: {name} stands for one in texts, and in links behind the host.',
    [{ name: 'id', label: 'Customer number', example: '4711' }],
  ],
  title: ['The title, shown on the launcher; null for none.', 'Launch day'],
  description: ['Shown below the title; null for none.', 'Everything for Friday.'],
  opensAt: ['When it opens, with a UTC offset; null: at once.', '2026-12-01T09:00:00.000Z'],
  closesAt: ['When it closes, after `opensAt`; null: never. Then: 410 CLOSED.', '2026-12-24T18:00:00.000Z'],
  closedNote: ['What viewers read after that; null for none.', 'The sign-up is over. See you next year!'],
  access: ['Who sees it: anyone with the link, members, or whoever has the password.', 'link'],
  copyable: ['Allow copies by viewers.', true],
  icons: ['Show site icons.', false],
  listed: ['List it on the start page.', true],
  resolutionPolicy: [POLICY_DOC],
}

export const LINK_DOCS: Readonly<Record<LinkName, Doc>> = {
  note: TAB_DOCS.note,
  tags: ['Tags of this tab, shown beside it.', ['live']],
  section: TAB_DOCS.section,
  openPolicy: [
    '`auto` (the default): “Open all” opens the tab. `manual`: it is listed only, for viewers to open.',
    'auto',
  ],
  check: ['false: never looked at whether it is broken.', false],
}

/** Descriptions of the fields that only a bundle’s owner sees. */
export const OWN_DOCS = {
  externalId: [
    'Your own name for it, up to 128 characters, unique among your bundles: `ext:<externalId>` stands for its slug.',
    'crm-4711',
  ],
  metadata: [
    'Up to 50 texts of your own, by key; null for none. `client`: the Service-Client header of its creation.',
    { client: 'acme-importer/1.4', team: 'sales' },
  ],
  aliases: ['Up to 5 other slugs of it.', ['launch-2026']],
} as const

export const SOURCE_DOC = [
  'What created it; by default `mcp` from a tool, `web` from a page, else `api`.',
  'api',
] as const
