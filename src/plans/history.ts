import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { type Content, owners } from '../../db/schema.ts'
import { NAMES, pick } from '../bundles/content.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { mebibytes } from '../core/words.ts'
import type { Subject } from '../identity/caller.ts'
import { ofPlan, type Plan } from './caps.ts'
import { ownerId } from './owners.ts'

// The cap on the total size of a subject’s versions. Triggers keep the sum in `owners.history_bytes`.

type Caps = Pick<Config, 'maxHistoryBytes'>

/** The last statement of a transaction that adds versions: fails it by a NOT NULL constraint if they exceed the cap. */
export function refuseOverfull(subject: Subject, { maxHistoryBytes }: Caps) {
  const isOverfull = sql`${owners.historyBytes} > ${ofPlan(maxHistoryBytes)}`
  return sql`UPDATE ${owners} SET history_bytes = NULL WHERE ${owners.id} = ${ownerId(subject)} AND ${isOverfull}`
}

/** Whether `refuseOverfull` failed a transaction. */
export function isOverfull(error: unknown): boolean {
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

/** The error for a version that does not fit. */
export async function historyFull(store: Store, subject: Subject, caps: Caps): Promise<Problem> {
  const { plan, max } = await historyUse(store, subject, caps)
  const more =
    plan === 'free'
      ? `Go to the plan pro, which keeps ${mebibytes(caps.maxHistoryBytes.pro)}`
      : 'Make it smaller, or ask whoever runs this server for more'
  return new Problem(
    'PLAN_LIMIT',
    `The plan ${plan} keeps ${mebibytes(max)} of version history, and this would go past it. ${more}.`,
  )
}

/**
 * Refuses early a version that does not fit now; the transaction that writes it checks again.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseLonger(store: Store, subject: Subject, content: Content, caps: Caps): Promise<void> {
  const { bytes, max } = await historyUse(store, subject, caps)
  if (bytes + bytesOf(content) > max) throw await historyFull(store, subject, caps)
}

/** The same sum as the generated column `bundle_versions.bytes`. */
function bytesOf(content: Content): number {
  const values = Object.values(pick(NAMES, content)).filter((value) => value !== null)
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
}
