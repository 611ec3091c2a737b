import { and, eq, inArray, type SQL } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Policy, Rule } from '../../db/policy.ts'
import { policyRules } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import type { SentPolicy } from './shapes.ts'

const RANDOM_LENGTH = 10

/** The shape of a rule id (decisions 6). */
export const RULE_ID = /^r_[0-9A-Za-z]{10}$/

/** Whether a text has that shape. */
export function isRuleId(text: string): boolean {
  return RULE_ID.test(text)
}

/** A policy whose every rule has its id, and those ids that are new. */
interface Identified {
  policy: Policy
  newIds: string[]
}

/**
 * Gives each rule its id (decisions 6): the one it sends, else that of the saved rule of its name, else a new
 * one, so that its counts stay with it however it is edited.
 * @param saved the bundle's policy as it stands.
 * @param isKnown whether an id is or was of a rule of this bundle.
 * @throws Problem BAD_REQUEST for an id that is not this bundle's, or that two rules send.
 */
export function identified(sent: SentPolicy, saved: Policy | null, isKnown: (id: string) => boolean): Identified {
  const taken = new Set<string>()
  for (const [index, { id }] of sent.rules.entries()) {
    if (id === undefined) continue
    const place = `resolutionPolicy.rules[${index}].id`
    if (!isKnown(id)) {
      throw new Problem('BAD_REQUEST', `${place} must be the id of a rule of this bundle: leave it out for a new rule`)
    }
    if (taken.has(id)) throw new Problem('BAD_REQUEST', `${place} must not be the id of an earlier rule as well`)
    taken.add(id)
  }
  const newIds: string[] = []
  const rules = sent.rules.map(({ id, ...rule }): Rule => {
    if (id !== undefined) return { id, ...rule }
    const same = saved?.rules.find((earlier) => earlier.name === rule.name && !taken.has(earlier.id))
    if (same !== undefined) return { id: same.id, ...rule }
    const made = `r_${randomBase62(RANDOM_LENGTH)}`
    newIds.push(made)
    return { id: made, ...rule }
  })
  return { policy: { version: 1, rules }, newIds }
}

/**
 * The same for a bundle that is stored: its earlier rules' ids count as well.
 * @throws Problem BAD_REQUEST.
 */
export async function identifiedFor(
  db: Store['db'],
  { id: bundleId, resolutionPolicy: saved }: { id: number; resolutionPolicy: Policy | null },
  sent: SentPolicy,
): Promise<Identified> {
  const sentIds = sent.rules.map(({ id }) => id).filter((id) => id !== undefined)
  const known = sentIds.length === 0 ? [] : await knownOf(db, bundleId, sentIds)
  return identified(sent, saved, (id) => known.includes(id))
}

/** Whether an id is or was that of a rule of a bundle: no other is counted (decisions 7). */
export async function isRuleOf(db: Store['db'], bundleId: number, id: string): Promise<boolean> {
  return (await knownOf(db, bundleId, [id])).length > 0
}

async function knownOf(db: Store['db'], bundleId: number, ids: string[]): Promise<string[]> {
  const rows = await db
    .select({ id: policyRules.id })
    .from(policyRules)
    .where(and(eq(policyRules.bundleId, bundleId), inArray(policyRules.id, ids)))
  return rows.map(({ id }) => id)
}

/** Keeps new ids for good, in the transaction that saves their policy. */
export function keepIds(db: Store['db'], bundleId: number | SQL<number>, ids: readonly string[]) {
  return ids.length === 0 ? [] : [db.insert(policyRules).values(ids.map((id) => ({ id, bundleId })))]
}
