import { SCOPES, type Scope } from '../../db/rights.ts'
import { joinList } from '../core/words.ts'
import type { ApiKey } from '../sdk/openall.ts'
import { type Command, integer } from './command.ts'
import { commandFor } from './operation-command.ts'
import { minute, note, oneLine, print, printTable } from './output.ts'

const list = commandFor('list_keys', {
  summary: 'List your API keys, including revoked ones',
  examples: ['openall keys list'],
  say({ apiKeys }) {
    const rows = apiKeys.map((key) => [
      String(key.id),
      key.keyPrefix,
      key.scopes.join(','),
      key.rateLimitPerHour === 0 ? 'none' : `${key.rateLimitPerHour}/h`,
      key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
      stateOf(key),
      oneLine(key.name),
    ])
    printTable(['ID', 'PREFIX', 'SCOPES', 'LIMIT', 'LAST USED (UTC)', 'STATE', 'NAME'], rows)
  },
})

function stateOf({ revokedAt, expiresAt, app }: ApiKey): string {
  if (revokedAt !== null) return 'revoked'
  const end = app?.endsAt ?? expiresAt
  if (end !== undefined && Date.parse(end) < Date.now()) return 'ended'
  if (app !== undefined) return 'app'
  return expiresAt === undefined ? 'active' : `until ${minute(expiresAt)}`
}

const END_FLAG = {
  type: 'string',
  valueHint: 'day',
  description: 'The last day that it works (in UTC), such as 2027-01-31, or in how many days it ends: 90d',
} as const

/** The end in the flag, as a field; none if it is missing. Checked by the service. */
function endIn(text: string | undefined): { expiresAt?: string } {
  if (text === undefined) return {}
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? []
  if (days !== undefined) return { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }
  return { expiresAt: /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59Z` : text }
}

const create = commandFor('create_key', {
  summary: 'Create an API key and print it; it is shown only once',
  examples: [
    'openall keys create "nightly import" --scope links:write',
    'openall keys create ci --scope links:read --per-hour 100 --expires 90d --network 203.0.113.0/24 > key.txt',
  ],
  args: {
    name: { type: 'positional', required: true, description: 'What the key is for' },
    scope: {
      type: 'string',
      multiple: true,
      valueHint: 'scope',
      description: joinList(
        SCOPES.map((scope) => (scope === 'links:write' ? `${scope} (the default)` : scope)),
        'or',
      ),
    },
    'per-hour': { type: 'string', valueHint: 'number', description: 'Calls per hour; 0 for no limit' },
    expires: END_FLAG,
    network: {
      type: 'string',
      multiple: true,
      valueHint: 'network',
      description: 'An address or a network (CIDR) that it works from; any if omitted',
    },
  },
  input({ args, lists }) {
    const { scope: scopes = [], network: allowedNetworks = [] } = lists
    return {
      name: args.name,
      // Validated by the service.
      ...(scopes.length === 0 ? {} : { scopes: scopes as Scope[] }),
      ...(args['per-hour'] === undefined ? {} : { rateLimitPerHour: integer(args['per-hour'], '--per-hour') }),
      ...endIn(args.expires),
      ...(allowedNetworks.length === 0 ? {} : { allowedNetworks }),
    }
  },
  say({ rawKey, warning, apiKey }) {
    print(rawKey)
    note(warning)
    note(`To revoke it: openall keys revoke ${apiKey.id}`)
  },
})

const revoke = commandFor('revoke_key', {
  summary: 'Revoke an API key, permanently and at once',
  examples: ['openall keys revoke 7'],
  args: { id: { type: 'positional', required: true, description: 'Its id in openall keys list' } },
  input: ({ args }) => ({ id: integer(args.id, 'the id') }),
  say: ({ apiKey }) => `Key ${apiKey.id} (${apiKey.name}) is revoked.`,
})

const rotate = commandFor('rotate_key', {
  summary: 'Replace an API key and print the new one; the old one goes on for a day',
  examples: ['openall keys rotate 7 > key.txt', 'openall keys rotate 7 --grace 0 --expires 90d > key.txt'],
  args: {
    id: { type: 'positional', required: true, description: 'Its id in openall keys list' },
    grace: { type: 'string', valueHint: 'hours', description: 'Until the old one ends: 0 to 24; 24 if omitted' },
    expires: { ...END_FLAG, description: `${END_FLAG.description}; as the old one if omitted` },
  },
  input: ({ args }) => ({
    id: integer(args.id, 'the id'),
    ...(args.grace === undefined ? {} : { graceHours: integer(args.grace, '--grace') }),
    ...endIn(args.expires),
  }),
  say({ rawKey, warning }) {
    print(rawKey)
    note(warning)
  },
})

export const keys = { list, create, revoke, rotate } satisfies Record<string, Command>
