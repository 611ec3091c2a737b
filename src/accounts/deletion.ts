import { and, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { claims, invitation, member, NOBODY, organization, user, verification, webhooks } from '../../db/schema.ts'
import { endPlaceholders } from '../identity/enumeration.ts'
import { linksOf } from '../identity/proof.ts'

type Account = Pick<typeof user.$inferSelect, 'id' | 'email' | 'emailVerified'>

/**
 * What precedes the deletion of an account, whoever asks for it: its organisations are left or deleted, and what its
 * address left elsewhere ends.
 * @returns the name of an organisation that would lose its last admin; then the account must stay.
 */
export async function prepareDeletion(store: Store, account: Account): Promise<string | null> {
  await endPlaceholders(store, account.id)
  return leaveAll(store, account)
}

/**
 * Deletes an account with its bundles, keys and sessions, as its owner could.
 * @returns like `prepareDeletion`.
 */
export async function deleteAccount(store: Store, account: Account): Promise<string | null> {
  const needed = await prepareDeletion(store, account)
  if (needed === null) await store.write([store.db.delete(user).where(eq(user.id, account.id))])
  return needed
}

/**
 * Prepares the deletion of an account: organisations without other members are deleted with their bundles, others are
 * left, and traces of its address elsewhere are erased. The writes themselves check for admins, so two last admins who
 * delete their accounts at once cannot both succeed.
 * @returns the name of an organisation that would lose its last admin; then nothing was done.
 */
async function leaveAll(
  { db, write }: Store,
  { id, email, emailVerified }: Pick<typeof user.$inferSelect, 'id' | 'email' | 'emailVerified'>,
): Promise<string | null> {
  const needing = sql`SELECT mine.organization_id FROM ${member} AS mine WHERE mine.user_id = ${id} AND mine.role = 'admin'
    AND (SELECT count(*) FROM ${member} AS other WHERE other.organization_id = mine.organization_id AND other.role = 'admin') = 1
    AND (SELECT count(*) FROM ${member} AS other WHERE other.organization_id = mine.organization_id) > 1`
  const mayGo = sql`NOT EXISTS (${needing})`
  const alone = sql`${organization.id} IN (SELECT organization_id FROM ${member} GROUP BY organization_id HAVING count(*) = 1 AND min(user_id) = ${id})`
  const [needed] = await write([
    db.select({ name: organization.name }).from(organization).where(sql`${organization.id} IN (${needing})`).limit(1),
    db.delete(organization).where(and(alone, mayGo)),
    db.delete(invitation).where(and(eq(invitation.email, email), mayGo)),
    // A link mailed earlier would re-create the account.
    db.delete(verification).where(and(linksOf(sql`${id}`), mayGo)),
    // Only a verified address is the account's own.
    db
      .update(claims)
      .set({ email: null })
      .where(and(eq(claims.email, emailVerified ? email : ''), mayGo)),
    // Webhooks of organisations stay, and name nobody.
    db
      .update(webhooks)
      .set({ createdBy: NOBODY })
      .where(and(eq(webhooks.createdBy, id), mayGo)),
    db.delete(member).where(and(eq(member.userId, id), mayGo)),
  ])
  const name = needed?.rows[0]?.name
  return name === undefined ? null : String(name)
}
