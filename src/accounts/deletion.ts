import { and, eq, not, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import {
  apiKeys,
  bundles,
  claims,
  invitation,
  member,
  NOBODY,
  organization,
  owners,
  user,
  verification,
  webhooks,
} from '../../db/schema.ts'
import { hasEnded } from '../identity/ended-keys.ts'
import { endPlaceholders } from '../identity/enumeration.ts'
import { linksOf } from '../identity/proof.ts'

type Account = Pick<typeof user.$inferSelect, 'id' | 'email' | 'emailVerified'>

/**
 * Prepares the deletion of an account, whoever requests it: ends all sign-ins of accounts that signed up with its address while
 * it was taken, and leaves or deletes its organisations.
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
 * Deletes organisations without other members, with their bundles; leaves the others; erases traces of the address elsewhere.
 * The writes themselves check for admins, so two last admins who delete their accounts at once cannot both succeed.
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

/** The data that would be deleted with an account or organisation. */
export interface OwnedData {
  /** Includes deleted ones that can still be restored. */
  bundles: number
  /** Active keys, including those of connected apps. */
  keys: number
}

/** The numbers of an organisation’s bundles and keys. */
export async function ownedDataOf({ db }: Store, organizationId: string): Promise<OwnedData> {
  const [row] = await db.select(holdingColumns(eq(owners.organizationId, organizationId))).from(sql`(SELECT 1)`)
  return { bundles: row?.bundles ?? 0, keys: row?.keys ?? 0 }
}

/** The effect on an organisation if a member deletes their account. */
export interface AffectedOrganization extends OwnedData {
  id: string
  name: string
  /** `deleted` with the account; `kept` by its other members; `blocks` the deletion, because no admin would remain. */
  effect: 'deleted' | 'kept' | 'blocks'
}

/** The data that deleting an account would delete, and the effect on its organisations. */
export async function deletionEffects(
  { db }: Store,
  userId: string,
): Promise<OwnedData & { organizations: AffectedOrganization[] }> {
  const others = sql<number>`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${member.organizationId} AND other.user_id <> ${userId})`
  const otherAdmins = sql<number>`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${member.organizationId} AND other.user_id <> ${userId} AND other.role = 'admin')`
  const [[own], rows] = await db.batch([
    db.select(holdingColumns(eq(owners.userId, userId))).from(sql`(SELECT 1)`),
    db
      .select({
        id: organization.id,
        name: organization.name,
        role: member.role,
        others,
        otherAdmins,
        ...holdingColumns(eq(owners.organizationId, organization.id)),
      })
      .from(member)
      .innerJoin(organization, eq(organization.id, member.organizationId))
      .where(eq(member.userId, userId))
      .orderBy(sql`${organization.name} COLLATE NOCASE`),
  ])
  const organizations = rows.map(({ role, others, otherAdmins, ...rest }): AffectedOrganization => {
    const effect = others === 0 ? 'deleted' : role === 'admin' && otherAdmins === 0 ? 'blocks' : 'kept'
    return { ...rest, effect }
  })
  return { bundles: own?.bundles ?? 0, keys: own?.keys ?? 0, organizations }
}

function holdingColumns(isOwner: ReturnType<typeof eq>) {
  const owner = sql`(SELECT ${owners.id} FROM ${owners} WHERE ${isOwner})`
  return {
    bundles: sql<number>`(SELECT count(*) FROM ${bundles} WHERE ${bundles.ownerId} = ${owner})`,
    keys: sql<number>`(SELECT count(*) FROM ${apiKeys} WHERE ${apiKeys.ownerId} = ${owner} AND NOT ${hasEnded()})`,
  }
}

/** Active keys of an organisation that a member minted: they end with the membership. */
export async function keysMintedBy({ db }: Store, organizationId: string, userId: string): Promise<number> {
  const mine = and(eq(owners.organizationId, organizationId), eq(apiKeys.mintedBy, userId), not(hasEnded()))
  const [row] = await db
    .select({ keys: sql<number>`count(*)` })
    .from(apiKeys)
    .innerJoin(owners, eq(owners.id, apiKeys.ownerId))
    .where(mine)
  return row?.keys ?? 0
}
