import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { owners } from '../../db/schema.ts'
import type { Subject } from '../identity/caller.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'

/** Whether a subject wants its links looked at; yes until it says otherwise. */
export async function wantsChecks({ db }: Pick<Store, 'db'>, subject: Subject): Promise<boolean> {
  const [row] = await db.select({ isOn: owners.checkLinks }).from(owners).where(eq(owners.id, ownerId(subject)))
  return row?.isOn ?? true
}

/** Stores whether a subject wants it. @param subject of which the caller is admin. */
export async function setChecks({ db, write }: Store, subject: Subject, checkLinks: boolean): Promise<void> {
  await write([ensureOwner(subject), db.update(owners).set({ checkLinks }).where(eq(owners.id, ownerId(subject)))])
}
