import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { type Content, owners } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/problem.ts'
import { mebibytes } from '../core/words.ts'
import type { Subject } from '../identity/caller.ts'
import { ofPlan, type Plan, planLimit } from '../plans/caps.ts'
import { ownerId } from '../plans/owners.ts'
import { bytesAdded } from './stored.ts'

// The cap on the size of all versions of a subject’s bundles. Triggers maintain the sum in `owners.history_bytes`.

type Caps = Pick<Config, 'maxHistoryBytes'>

/** The last statement of a transaction that adds versions: violates NOT NULL, and so fails it, beyond the cap. */
export function checkHistoryCap(subject: Subject, { maxHistoryBytes }: Caps) {
  const isHistoryCapError = sql`${owners.historyBytes} > ${ofPlan(maxHistoryBytes)}`
  return sql`UPDATE ${owners} SET history_bytes = NULL WHERE ${owners.id} = ${ownerId(subject)} AND ${isHistoryCapError}`
}

/** Whether `checkHistoryCap` failed a transaction. */
export function isHistoryCapError(error: unknown): boolean {
  return brokenConstraint(error)?.includes('owners.history_bytes') ?? false
}

/** Size of a subject's versions, and the cap. */
export interface HistoryUse {
  plan: Plan
  bytes: number
  max: number
}

/** Reads the usage; zero for a subject without an owner row. */
export async function historyUse(store: Store, subject: Subject, { maxHistoryBytes }: Caps): Promise<HistoryUse> {
  const [row] = await store.db
    .select({ plan: owners.plan, bytes: owners.historyBytes })
    .from(owners)
    .where(eq(owners.id, ownerId(subject)))
  const { plan, bytes } = row ?? { plan: 'free', bytes: 0 }
  return { plan, bytes, max: maxHistoryBytes[plan] }
}

/** The error for a version that exceeds the cap. */
export async function historyCapReached(store: Store, subject: Subject, caps: Caps): Promise<Problem> {
  const { plan, max } = await historyUse(store, subject, caps)
  const ofHistory = (bytes: number) => `${mebibytes(bytes)} of version history`
  return planLimit(
    subject,
    plan,
    ofHistory(max),
    ofHistory(caps.maxHistoryBytes.pro),
    'ask your administrator for more room',
  )
}

/**
 * Refuses a version that exceeds the cap now. Not a guarantee: the transaction that writes it checks again.
 * @param bundle null for a new bundle.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseFullHistory(
  store: Store,
  subject: Subject,
  { bundle, content }: { bundle: (Content & { id: number }) | null; content: Content },
  caps: Caps,
): Promise<void> {
  const { bytes, max } = await historyUse(store, subject, caps)
  if (bytes + (await bytesAdded(store, bundle, content)) > max) throw await historyCapReached(store, subject, caps)
}
