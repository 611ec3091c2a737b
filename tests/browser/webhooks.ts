import type { Server } from '../server.ts'

const NOW = Date.now()
const HOUR_MS = 3_600_000

/**
 * The pages’ webhooks: one with deliveries that went every way, and disabled ones, of which one has a chat’s format. They are
 * never sent anything.
 */
const WEBHOOKS = [
  { id: 'wh_working', url: 'https://chat.example.com/hooks/launches?token=abc', format: 'standard', disabledBy: null },
  {
    id: 'wh_failing',
    url: `https://${'a-long-name-'.repeat(4)}.example/${'path/'.repeat(20)}`,
    format: 'standard',
    disabledBy: 'failures',
  },
  { id: 'wh_paused', url: 'http://[2606:4700::1111]:8443/', format: 'ntfy', disabledBy: 'owner' },
] as const

const DELIVERIES = [
  { event: 'webhook.test', attempts: 1, failure: 'it was answered with 404', status: 404 },
  { event: 'bundle.created', attempts: 1, status: 204, sentAt: NOW - 30 * HOUR_MS },
  { event: 'bundle.updated', attempts: 3, status: 200, sentAt: NOW - 26 * HOUR_MS },
  {
    event: 'bundle.restored',
    attempts: 5,
    failure: 'there was no complete answer within 10 seconds',
    dueAt: NOW + 5 * HOUR_MS,
  },
  { event: 'bundle.claimed', attempts: 0 },
]

/** Plants them for the owner of a key. */
export async function plantWebhooks(server: Server, keyId: number): Promise<void> {
  for (const { id, url, format, disabledBy } of WEBHOOKS) {
    await server.sql(
      `INSERT INTO webhooks (id, owner_id, created_by, url, format, events, secret, created_at, disabled_at, disabled_by)
       SELECT ?, owner_id, minted_by, ?, ?, '["bundle.restored","bundle.claimed","proposal.opened"]', x'00', ?, ?, ? FROM api_keys WHERE id = ?`,
      [id, url, format, NOW - 48 * HOUR_MS, disabledBy && NOW - HOUR_MS, disabledBy, keyId],
    )
  }
  for (const { event, attempts, status = null, failure = null, sentAt = null, dueAt = null } of DELIVERIES) {
    await server.sql(
      `INSERT INTO outbox (webhook_id, bundle_id, message_id, event, version_number, at, due_at, attempts, attempted_at, status, failure, sent_at)
       SELECT 'wh_working', iif(?1 = 'webhook.test', NULL, bundles.id), 'msg_' || ?1, ?1, 1, ?2, ?3, ?4, ?2, ?5, ?6, ?7 FROM bundles
       JOIN api_keys ON api_keys.owner_id = bundles.owner_id WHERE api_keys.id = ?8 ORDER BY bundles.id LIMIT 1`,
      [event, sentAt ?? NOW - HOUR_MS, dueAt, attempts, status, failure, sentAt, keyId],
    )
  }
}
