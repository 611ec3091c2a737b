import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { user } from '../../db/schema.ts'
import { endPlaceholders } from '../identity/enumeration.ts'
import { leaveAll } from '../identity/members.ts'

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
