import { SCOPES } from '../../db/rights.ts'
import { joinList } from '../core/words.ts'
import type { ApiKey } from '../sdk/openall.ts'
import type { Input } from '../sdk/signatures.ts'
import type { Tree } from './completion.ts'
import { minute, note, print } from './output.ts'
import { row } from './row.ts'

const KEY_ID = { type: 'positional', field: 'id', number: true, description: 'Its id in openall keys list' } as const

const KEY_END = {
  valueHint: 'day',
  description: 'Its last day (UTC), such as 2027-01-31, or a number of days from now: 90d',
} as const

/** Commands for API keys. */
export const keys = {
  list: row('list_keys', {
    summary: 'List your API keys, including revoked ones',
    examples: ['openall keys list'],
    list: 'apiKeys',
    columns: {
      ID: 'id',
      PREFIX: 'keyPrefix',
      SCOPES: ({ scopes }) => scopes.join(','),
      LIMIT: ({ rateLimitPerHour: max }) => (max === 0 ? 'none' : `${max}/h`),
      'LAST USED (UTC)': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : minute(lastUsedAt)),
      STATE: stateOf,
      NAME: 'name',
    },
  }),
  create: row('create_key', {
    summary: 'Create an API key and print it; it is shown only once',
    examples: [
      'openall keys create "nightly import" --scope links:write',
      'openall keys create ci --scope links:read --per-hour 100 --expires 90d --network 203.0.113.0/24 > key.txt',
    ],
    args: {
      name: { type: 'positional', field: 'name', description: 'What the key is for' },
      scope: {
        multiple: true,
        field: 'scopes',
        valueHint: 'scope',
        description: joinList(
          SCOPES.map((scope) => (scope === 'links:write' ? `${scope} (the default)` : scope)),
          'or',
        ),
      },
      'per-hour': { field: 'rateLimitPerHour', number: true, description: 'Calls per hour; 0 for no limit' },
      expires: KEY_END,
      network: {
        multiple: true,
        field: 'allowedNetworks',
        valueHint: 'network',
        description: 'An address or a network (CIDR) that it works from; any if omitted',
      },
    },
    input: ({ args }) => endIn(args.expires),
    say({ rawKey, warning, apiKey }) {
      print(rawKey)
      note(warning)
      note(`To revoke it: openall keys revoke ${apiKey.id}`)
    },
  }),
  revoke: row('revoke_key', {
    summary: 'Revoke an API key, permanently and at once',
    examples: ['openall keys revoke 7'],
    args: { id: KEY_ID },
    say: ({ apiKey }) => `Key ${apiKey.id} (${apiKey.name}) is revoked.`,
  }),
  rotate: row('rotate_key', {
    summary: 'Replace an API key and print the new one; the old one works for another day',
    examples: ['openall keys rotate 7 > key.txt', 'openall keys rotate 7 --grace 0 --expires 90d > key.txt'],
    args: {
      id: KEY_ID,
      grace: {
        field: 'graceHours',
        number: true,
        valueHint: 'hours',
        description: 'Until the old one ends: 0 to 24; 24 if omitted',
      },
      expires: { ...KEY_END, description: `${KEY_END.description}; like the old one if omitted` },
    },
    input: ({ args }) => endIn(args.expires),
    say({ rawKey, warning }) {
      print(rawKey)
      note(warning)
    },
  }),
} satisfies Tree

function stateOf({ revokedAt, expiresAt, app }: ApiKey): string {
  if (revokedAt !== null) return 'revoked'
  const end = app?.endsAt ?? expiresAt
  if (end !== undefined && Date.parse(end) < Date.now()) return 'ended'
  if (app !== undefined) return 'app'
  return expiresAt === undefined ? 'active' : `until ${minute(expiresAt)}`
}

/** The expiry in the flag, as a field; no field without the flag. Checked by the service. */
function endIn(text: string | undefined): { expiresAt?: string } {
  if (text === undefined) return {}
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? []
  if (days !== undefined) return { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }
  return { expiresAt: /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59Z` : text }
}

/** The command for the log of changes. */
export const events = row('list_events', {
  summary: 'List who changed what, newest first',
  examples: ['openall events', 'openall events --type bundle.updated --target launch-day --since 2026-12-01T00:00:00Z'],
  args: {
    type: { field: 'type', description: 'Only events of this type or kind: bundle.updated, or bundle' },
    target: { field: 'target', description: 'Only events about this: a bundle’s slug, or an id' },
    actor: { field: 'actor', description: 'Only events by this person or key: an id' },
    since: { field: 'since', valueHint: 'time', description: 'Only events from this time on: 2026-12-01T00:00:00Z' },
    limit: { field: 'limit', number: true, description: 'Maximum number of results; 50 if omitted' },
    cursor: { field: 'cursor', description: 'Continue from here: nextCursor of the previous page' },
  },
  list: 'events',
  columns: {
    'TIME (UTC)': ({ createdAt }) => minute(createdAt),
    EVENT: 'type',
    BY: ({ actor }) => actor.name ?? actor.keyName ?? actor.type,
    ABOUT: ({ target }) => target.slug ?? target.name ?? target.id ?? '',
  },
  say({ leftOut, nextCursor }) {
    if (leftOut !== undefined) note(leftOut)
    if (nextCursor !== undefined) note(`There are more: --cursor ${nextCursor}`)
  },
})

const WEBHOOK_ID = { type: 'positional', field: 'webhookId', description: 'Its id in openall webhooks list' } as const

const FORMAT = {
  field: 'format',
  description: 'standard (signed events, the default), slack, discord, teams or ntfy',
} as const

/** Commands for webhooks and their deliveries. */
export const webhooks = {
  list: row('list_webhooks', {
    summary: 'List your webhooks',
    examples: ['openall webhooks list'],
    list: 'webhooks',
    columns: {
      ID: 'id',
      STATE: ({ disabledBy }) => (disabledBy === null ? 'enabled' : `disabled: ${disabledBy}`),
      FORMAT: 'format',
      EVENTS: ({ events }) => events.join(','),
      URL: 'url',
    },
  }),
  create: row('create_webhook', {
    summary: 'Send events to a URL, and print the secret; it is shown only once',
    examples: [
      'openall webhooks create https://example.com/hooks/openall --event bundle.updated > secret.txt',
      'openall webhooks create https://ntfy.sh/launches --format ntfy',
    ],
    args: {
      url: { type: 'positional', field: 'url', description: 'A public address that takes POST requests' },
      format: FORMAT,
      event: {
        multiple: true,
        valueHint: 'event',
        description: 'An event to send, such as bundle.updated; all of them if omitted',
      },
    },
    // Validated by the service.
    input: ({ lists: { event } }) => ({ events: (event?.length ? event : ['*']) as Input<'create_webhook'>['events'] }),
    say({ webhook, secret, warning }) {
      if (webhook.format === 'standard') print(secret)
      note(warning)
      note(`To see that it works: openall webhooks test ${webhook.id}`)
    },
  }),
  format: row('update_webhook', {
    summary: 'Change what a webhook sends: signed events, or messages for a chat',
    examples: ['openall webhooks format wh_4fGk2bNq8ZxT7mQa slack'],
    args: { id: WEBHOOK_ID, format: { ...FORMAT, type: 'positional' } },
    say({ webhook, warning }) {
      if (warning !== undefined) note(warning)
      return `Webhook ${webhook.id} sends ${webhook.format}.`
    },
  }),
  enable: row('update_webhook', {
    summary: 'Enable a webhook again, and send the events that failed before it was disabled',
    examples: ['openall webhooks enable wh_4fGk2bNq8ZxT7mQa'],
    args: { id: WEBHOOK_ID },
    input: () => ({ enabled: true }),
    say: ({ webhook }) => `Webhook ${webhook.id} is enabled.`,
  }),
  disable: row('update_webhook', {
    summary: 'Disable a webhook; events that happen meanwhile are never sent',
    examples: ['openall webhooks disable wh_4fGk2bNq8ZxT7mQa'],
    args: { id: WEBHOOK_ID },
    input: () => ({ enabled: false }),
    say: ({ webhook }) => `Webhook ${webhook.id} is disabled.`,
  }),
  rotate: row('rotate_webhook_secret', {
    summary: 'Give a webhook a new secret and print it; the old one works for another day',
    examples: ['openall webhooks rotate wh_4fGk2bNq8ZxT7mQa > secret.txt'],
    args: { id: WEBHOOK_ID },
    say: ({ secret }) => print(secret),
  }),
  delete: row('delete_webhook', {
    summary: 'Delete a webhook with its deliveries, for good',
    examples: ['openall webhooks delete wh_4fGk2bNq8ZxT7mQa'],
    args: { id: WEBHOOK_ID },
    say: ({ webhookId }) => `Webhook ${webhookId} is deleted.`,
  }),
  test: row('test_webhook', {
    summary: 'Send a test message',
    examples: ['openall webhooks test wh_4fGk2bNq8ZxT7mQa'],
    args: { id: WEBHOOK_ID },
    say: (_, { args }) => `A test is on its way. To see how it went: openall webhooks deliveries ${args.id}`,
  }),
  deliveries: row('list_deliveries', {
    summary: 'List the deliveries of a webhook in the last 14 days, newest first',
    examples: ['openall webhooks deliveries wh_4fGk2bNq8ZxT7mQa --limit 50'],
    args: {
      id: WEBHOOK_ID,
      limit: { field: 'limit', number: true, description: 'Maximum number of results; 20 if omitted' },
    },
    list: 'deliveries',
    columns: {
      ID: 'id',
      'TIME (UTC)': ({ createdAt }) => minute(createdAt),
      EVENT: 'event',
      BUNDLE: 'slug',
      STATE: 'state',
      ATTEMPTS: 'attempts',
      FAILURE: 'failure',
    },
  }),
} satisfies Tree
