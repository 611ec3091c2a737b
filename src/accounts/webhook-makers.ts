import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { member, organization, owners, user, webhooks } from '../../db/schema.ts'
import type { SignedIn } from '../identity/caller.ts'
import { realEmail } from '../identity/sessions.ts'
import { ownerId } from '../plans/owners.ts'
import type { AccountMails } from './account-mails.ts'

// A webhook keeps working after its creator has left or is no longer an admin: it sends all of an organisation's bundles to an
// address that they know. So the admins are told of each new webhook, and when its creator goes.

/**
 * Notifies whoever manages a subject's webhooks of a new one, in case they did not make it. Resolves once the mails are stored.
 * @param caller its creator.
 */
export function tellOfNew(accountMails: AccountMails, { subject, userId }: SignedIn, url: string): Promise<void> {
  return accountMails.attempt(async () => {
    const [found] = await accountMails.store.db
      .select({ ownerId: owners.id, organization: organization.name, by: realEmail })
      .from(owners)
      .innerJoin(user, eq(user.id, userId))
      .leftJoin(organization, eq(organization.id, owners.organizationId))
      .where(eq(owners.id, ownerId(subject)))
    if (found === undefined) return
    await accountMails.notifyOwner(found.ownerId, { kind: 'webhookMade', host: new URL(url).host, ...found })
  })
}

/**
 * Runs a membership change. If it ends a person's admin role in an organisation whose webhooks they made, its admins are
 * notified.
 * @param who the id of the person whose membership changes.
 * @returns the result of the change.
 */
export async function whileMembersChange<Result>(
  accountMails: AccountMails,
  who: string | SQL,
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await madeByAdmin(accountMails, who)
  const result = await change()
  if (before.length > 0) await accountMails.attempt(() => tellOfGone(accountMails, before))
  return result
}

type Made = Awaited<ReturnType<typeof madeByAdmin>>[number]

/** The webhooks of organisations that a person made and is an admin of. */
function madeByAdmin({ store: { db } }: AccountMails, who: string | SQL) {
  return db
    .select({ id: webhooks.id, userId: user.id, by: realEmail })
    .from(webhooks)
    .innerJoin(owners, eq(owners.id, webhooks.ownerId))
    .innerJoin(user, eq(user.id, webhooks.createdBy))
    .innerJoin(member, isAdminOf(user.id))
    .where(eq(webhooks.createdBy, sql`${who}`))
}

async function tellOfGone(accountMails: AccountMails, before: readonly Made[]): Promise<void> {
  const [{ userId, by } = { userId: '', by: '' }] = before
  const ids = before.map(({ id }) => id)
  const rows = await accountMails.store.db
    .select({ ownerId: webhooks.ownerId, url: webhooks.url, organization: organization.name })
    .from(webhooks)
    .innerJoin(owners, eq(owners.id, webhooks.ownerId))
    .innerJoin(organization, eq(organization.id, owners.organizationId))
    .leftJoin(member, isAdminOf(sql`${userId}`))
    .where(and(inArray(webhooks.id, ids), sql`${member.id} IS NULL`))
    .orderBy(webhooks.createdAt)
  for (const [owner, its] of Map.groupBy(rows, (row) => row.ownerId)) {
    const hosts = its.map(({ url }) => new URL(url).host)
    const name = its[0]?.organization ?? ''
    await accountMails.notifyOwner(owner, { kind: 'webhookMakerGone', by, organization: name, hosts })
  }
}

/** The join condition for a person's admin membership in the organisation of a row of `owners`. */
function isAdminOf(userId: Parameters<typeof eq>[0]) {
  return and(eq(member.organizationId, owners.organizationId), eq(member.userId, userId), eq(member.role, 'admin'))
}
