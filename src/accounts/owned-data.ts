import { and, eq, not, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { apiKeys, bundles, member, organization, owners } from '../../db/schema.ts'
import { hasEnded } from '../identity/ended-keys.ts'

/** What would be deleted with an account or organisation. */
export interface OwnedData {
  /** Includes deleted ones that can still be restored. */
  bundles: number
  /** Those that work, of connected apps too. */
  keys: number
}

/** What an organisation holds. */
export async function ownedDataOf({ db }: Store, organizationId: string): Promise<OwnedData> {
  const [row] = await db.select(holdingColumns(eq(owners.organizationId, organizationId))).from(sql`(SELECT 1)`)
  return { bundles: row?.bundles ?? 0, keys: row?.keys ?? 0 }
}

/** What happens to an organisation when one of its members deletes their account. */
export interface AffectedOrganization extends OwnedData {
  id: string
  name: string
  /** `deleted` with the account; `kept` by its other members; `blocks` the deletion, because no admin would remain. */
  effect: 'deleted' | 'kept' | 'blocks'
}

/** What deleting an account would delete, and how it affects its organisations. */
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
