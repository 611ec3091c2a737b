import type { Scope } from '../identity/roles.ts'
import { type Command, command, integer } from './command.ts'
import { minute, note, oneLine, print, printJson, printTable } from './output.ts'

const list = command({
  name: 'list',
  summary: 'List your API keys, including revoked ones',
  examples: ['openall keys list'],
  args: {},
  async run({ args, client }) {
    const answer = await client.listKeys()
    if (args.json) return printJson(answer)
    const rows = answer.apiKeys.map(({ id, keyPrefix, scopes, rateLimitPerHour, lastUsedAt, revokedAt, app, name }) => [
      String(id),
      keyPrefix,
      scopes.join(','),
      rateLimitPerHour === 0 ? 'none' : `${rateLimitPerHour}/h`,
      lastUsedAt === null ? 'never' : minute(lastUsedAt),
      stateOf(revokedAt, app),
      oneLine(name),
    ])
    printTable(['ID', 'PREFIX', 'SCOPES', 'LIMIT', 'LAST USED (UTC)', 'STATE', 'NAME'], rows)
  },
})

function stateOf(revokedAt: string | null, app: { endsAt: string } | undefined): string {
  if (revokedAt !== null) return 'revoked'
  if (app === undefined) return 'active'
  return Date.parse(app.endsAt) < Date.now() ? 'ended' : 'app'
}

const create = command({
  name: 'create',
  summary: 'Create an API key and print it; it is shown only once',
  examples: [
    'openall keys create "nightly import" --scope links:write',
    'openall keys create ci --scope links:read --per-hour 100 > key.txt',
  ],
  args: {
    name: { type: 'positional', required: true, description: 'What the key is for' },
    scope: {
      type: 'string',
      multiple: true,
      valueHint: 'scope',
      description: 'links:read, links:propose, links:write (the default) or keys:admin',
    },
    'per-hour': { type: 'string', valueHint: 'number', description: 'Calls per hour; 0 for no limit' },
  },
  async run({ args, lists, client }) {
    const { scope: scopes = [] } = lists
    const minted = await client.createKey({
      name: args.name,
      // Validated by the service.
      ...(scopes.length === 0 ? {} : { scopes: scopes as Scope[] }),
      ...(args['per-hour'] === undefined ? {} : { rateLimitPerHour: integer(args['per-hour'], '--per-hour') }),
    })
    if (args.json) return printJson(minted)
    print(minted.rawKey)
    note(minted.warning)
    note(`To revoke it: openall keys revoke ${minted.apiKey.id}`)
  },
})

const revoke = command({
  name: 'revoke',
  summary: 'Revoke an API key, permanently and at once',
  examples: ['openall keys revoke 7'],
  args: { id: { type: 'positional', required: true, description: 'Its id in openall keys list' } },
  async run({ args, client }) {
    const answer = await client.revokeKey({ id: integer(args.id, 'the id') })
    if (args.json) return printJson(answer)
    print(`Key ${answer.apiKey.id} (${oneLine(answer.apiKey.name)}) is revoked.`)
  },
})

export const keys = { list, create, revoke } satisfies Record<string, Command>
