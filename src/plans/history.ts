import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { type Content, owners } from '../../db/schema.ts'
import { NAMES, pick } from '../bundles/content.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { mebibytes } from '../core/words.ts'
import type { Subject } from '../identity/identify.ts'
import { ofPlan, ownerId, type Plan } from './plans.ts'

// What all versions of a subject's bundles may take. The store's triggers keep the sum (`owners.history_bytes`).

type Caps = Pick<Config, 'maxHistoryBytes'>

/** Last of a transaction that adds versions to a subject's: undoes it where they are more than the plan keeps. */
export function refuseOverfull(subject: Subject, { maxHistoryBytes }: Caps) {
  const isOverfull = sql`${owners.historyBytes} > ${ofPlan(maxHistoryBytes)}`
  return sql`UPDATE ${owners} SET history_bytes = NULL WHERE ${owners.id} = ${ownerId(subject)} AND ${isOverfull}`
}

/** Whether a transaction was undone by `refuseOverfull`. */
export function isOverfull(error: unknown): boolean {
  return brokenConstraint(error)?.includes('owners.history_bytes') ?? false
}

/** What a subject's versions take, of what its plan keeps. */
export interface HistoryUse {
  plan: Plan
  bytes: number
  max: number
}

/** Reads it; nothing is taken by a subject that has made nothing. */
export async function historyUse(store: Store, subject: Subject, { maxHistoryBytes }: Caps): Promise<HistoryUse> {
  const [row] = await store.db
    .select({ plan: owners.plan, bytes: owners.historyBytes })
    .from(owners)
    .where(eq(owners.id, ownerId(subject)))
  const { plan, bytes } = row ?? { plan: 'free', bytes: 0 }
  return { plan, bytes, max: maxHistoryBytes[plan] }
}

/** The refusal of a version that there is no room for. */
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
 * Refuses a version that there is no room for as things stand; it is held to the cap by the transaction that writes it.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseLonger(store: Store, subject: Subject, content: Content, caps: Caps): Promise<void> {
  const { bytes, max } = await historyUse(store, subject, caps)
  if (bytes + bytesOf(content) > max) throw await historyFull(store, subject, caps)
}

/** As the store counts (`bundle_versions.bytes`). */
function bytesOf(content: Content): number {
  const values = Object.values(pick(NAMES, content)).filter((value) => value !== null)
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
}
