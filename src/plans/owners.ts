import { eq, type Placeholder, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param } from '../../db/prepared.ts'
import { organization, owners, user } from '../../db/schema.ts'
import type { Subject } from '../identity/caller.ts'

// Each subject that owns something has a row in `owners`. Nothing here depends on plans, so any feature may import it.

/** The id of a subject's owner row, as a subquery; `ensureOwner` inserts the row. */
export function ownerId(subject: Subject) {
  return ownerIdOf(subject.type, subjectIdOf(subject))
}

/** The same by type and id, which may be a placeholder. */
export function ownerIdOf(type: Subject['type'], id: string | Placeholder) {
  return sql<number>`(SELECT ${owners.id} FROM ${owners} WHERE ${eq(type === 'user' ? owners.userId : owners.organizationId, id)})`
}

/** The id of a user or an organisation. */
export function subjectIdOf(subject: Subject): string {
  return subject.type === 'user' ? subject.userId : subject.organizationId
}

/** A subject whose id is the value `owner` of a prepared write. */
export function subjectOf(type: Subject['type']): Subject {
  return type === 'user' ? { type, userId: param('owner') } : { type, organizationId: param('owner') }
}

/** Inserts the owner row of a subject if missing; does nothing if the account is gone. */
export function ensureOwner(subject: Subject) {
  const isUser = subject.type === 'user'
  const column = sql.raw(isUser ? 'user_id' : 'organization_id')
  const [table, id] = isUser ? [user, subject.userId] : [organization, subject.organizationId]
  return sql`INSERT INTO ${owners} (${column}) SELECT ${table.id} FROM ${table} WHERE ${table.id} = ${id} ON CONFLICT DO NOTHING`
}

export async function subjectExists({ db }: Store, subject: Subject): Promise<boolean> {
  const found =
    subject.type === 'user'
      ? await db.select({ id: user.id }).from(user).where(eq(user.id, subject.userId))
      : await db.select({ id: organization.id }).from(organization).where(eq(organization.id, subject.organizationId))
  return found.length > 0
}
