import type { Input } from '../sdk/signatures.ts'
import { type Command, integer } from './command.ts'
import { commandFor } from './operation-command.ts'
import { minute, note, oneLine, print, printTable } from './output.ts'

const ID = { type: 'positional', required: true, description: 'Its id in openall webhooks list' } as const

const list = commandFor('list_webhooks', {
  summary: 'List your webhooks',
  examples: ['openall webhooks list'],
  say({ webhooks }) {
    const rows = webhooks.map(({ id, url, events, disabledBy }) => [
      id,
      disabledBy === null ? 'enabled' : `disabled: ${disabledBy}`,
      events.join(','),
      oneLine(url),
    ])
    printTable(['ID', 'STATE', 'EVENTS', 'URL'], rows)
  },
})

const create = commandFor('create_webhook', {
  summary: 'Have a URL told about events, and print the secret; it is shown only once',
  examples: ['openall webhooks create https://example.com/hooks/openall --event bundle.updated > secret.txt'],
  args: {
    url: { type: 'positional', required: true, description: 'A public address that takes POST requests' },
    event: {
      type: 'string',
      multiple: true,
      valueHint: 'event',
      description: 'An event to send, such as bundle.updated; all of them if omitted',
    },
  },
  input({ args, lists }) {
    const { event: events = [] } = lists
    // Validated by the service.
    return { url: args.url, events: (events.length === 0 ? ['*'] : events) as Input<'create_webhook'>['events'] }
  },
  say({ webhook, secret, warning }) {
    print(secret)
    note(warning)
    note(`To see that it works: openall webhooks test ${webhook.id}`)
  },
})

const enable = commandFor('update_webhook', {
  summary: 'Enable a webhook again, which sends what it missed before it was disabled',
  examples: ['openall webhooks enable wh_4fGk2bNq8ZxT7mQa'],
  args: { id: ID },
  input: ({ args }) => ({ webhookId: args.id, enabled: true }),
  say: ({ webhook }) => `Webhook ${webhook.id} is enabled.`,
})

const disable = commandFor('update_webhook', {
  summary: 'Disable a webhook; what happens meanwhile is not kept for it',
  examples: ['openall webhooks disable wh_4fGk2bNq8ZxT7mQa'],
  args: { id: ID },
  input: ({ args }) => ({ webhookId: args.id, enabled: false }),
  say: ({ webhook }) => `Webhook ${webhook.id} is disabled.`,
})

const rotate = commandFor('rotate_webhook_secret', {
  summary: 'Give a webhook a new secret and print it; the old one goes on for a day',
  examples: ['openall webhooks rotate wh_4fGk2bNq8ZxT7mQa > secret.txt'],
  args: { id: ID },
  input: ({ args }) => ({ webhookId: args.id }),
  say: ({ secret }) => print(secret),
})

const remove = commandFor('delete_webhook', {
  summary: 'Delete a webhook with its deliveries, for good',
  examples: ['openall webhooks delete wh_4fGk2bNq8ZxT7mQa'],
  args: { id: ID },
  input: ({ args }) => ({ webhookId: args.id }),
  say: ({ webhookId }) => `Webhook ${webhookId} is deleted.`,
})

const test = commandFor('test_webhook', {
  summary: 'Send a test event',
  examples: ['openall webhooks test wh_4fGk2bNq8ZxT7mQa'],
  args: { id: ID },
  input: ({ args }) => ({ webhookId: args.id }),
  say: (_, { args }) => `A test is on its way. To see how it went: openall webhooks deliveries ${args.id}`,
})

const deliveries = commandFor('list_deliveries', {
  summary: 'List what a webhook was sent in the last 14 days, newest first',
  examples: ['openall webhooks deliveries wh_4fGk2bNq8ZxT7mQa --limit 50'],
  args: { id: ID, limit: { type: 'string', valueHint: 'number', description: 'At most so many; 20 if omitted' } },
  input: ({ args }) => ({
    webhookId: args.id,
    ...(args.limit === undefined ? {} : { limit: integer(args.limit, '--limit') }),
  }),
  say({ deliveries }) {
    const rows = deliveries.map(({ id, event, slug, state, attempts, failure, createdAt }) => [
      String(id),
      minute(createdAt),
      event,
      slug ?? '',
      state,
      String(attempts),
      oneLine(failure ?? ''),
    ])
    printTable(['ID', 'TIME (UTC)', 'EVENT', 'BUNDLE', 'STATE', 'ATTEMPTS', 'FAILURE'], rows)
  },
})

export const webhooks = {
  ...{ list, create, enable, disable, rotate, delete: remove },
  ...{ test, deliveries },
} satisfies Record<string, Command>
