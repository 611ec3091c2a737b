import { eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { organization, owners } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/problem.ts'
import { count } from '../core/words.ts'
import { planLimit } from './caps.ts'

/**
 * The error for a person who has created as many organisations as their plan allows, or null. Ones they have left still
 * count, or leaving would reset the cap; deleted ones do not.
 */
export async function organizationCapReached(
  { db }: Store,
  userId: string,
  { maxOrganizations }: Pick<Config, 'maxOrganizations'>,
): Promise<Problem | null> {
  const [[made], [owner]] = await db.batch([
    db.select({ count: sql<number>`count(*)` }).from(organization).where(eq(organization.createdBy, userId)),
    db.select({ plan: owners.plan }).from(owners).where(eq(owners.userId, userId)),
  ])
  const plan = owner?.plan ?? 'free'
  const max = maxOrganizations[plan]
  if ((made?.count ?? 0) < max) return null
  const onPro = count(maxOrganizations.pro, 'organisation')
  return planLimit({ type: 'user', userId }, plan, count(max, 'organisation'), onPro, 'delete one')
}
