import { and, eq, inArray, type SQL } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Policy, Rule } from '../../db/policy.ts'
import { policyRules } from '../../db/schema.ts'
import { invalid } from '../core/problem.ts'
import { newRuleId, type SentPolicy } from './shapes.ts'

/** A policy whose rules all have ids, with the list of new ids. */
interface PolicyWithIds {
  policy: Policy
  newIds: string[]
}

/**
 * Gives each rule its id: the sent one, otherwise that of the saved rule with the same name, otherwise a new one. So a rule keeps
 * its counts when it is edited.
 * @param saved the bundle’s current policy.
 * @param isKnown whether an id is or was used by a rule of this bundle.
 * @throws Problem BAD_REQUEST for an id that is not this bundle’s, or is sent twice.
 */
export function withRuleIds(sent: SentPolicy, saved: Policy | null, isKnown: (id: string) => boolean): PolicyWithIds {
  const taken = new Set<string>()
  for (const [index, { id }] of sent.rules.entries()) {
    if (id === undefined) continue
    const path = ['resolutionPolicy', 'rules', index, 'id']
    if (!isKnown(id)) throw invalid([{ path, reason: { code: 'rule_of_another_bundle' } }])
    if (taken.has(id)) throw invalid([{ path, reason: { code: 'rule_id_sent_twice' } }])
    taken.add(id)
  }
  const newIds: string[] = []
  const rules = sent.rules.map(({ id, ...rule }): Rule => {
    if (id !== undefined) return { id, ...rule }
    const same = saved?.rules.find((earlier) => earlier.name === rule.name && !taken.has(earlier.id))
    if (same !== undefined) return { id: same.id, ...rule }
    const made = newRuleId()
    newIds.push(made)
    return { id: made, ...rule }
  })
  return { policy: { version: 1, rules }, newIds }
}

/**
 * Gives the rules of a stored bundle's new policy their ids. Ids of its earlier rules are accepted too.
 * @throws Problem BAD_REQUEST.
 */
export async function withStoredRuleIds(
  db: Store['db'],
  { id: bundleId, resolutionPolicy: saved }: { id: number; resolutionPolicy: Policy | null },
  sent: SentPolicy,
): Promise<PolicyWithIds> {
  const sentIds = sent.rules.map(({ id }) => id).filter((id) => id !== undefined)
  const known = sentIds.length === 0 ? [] : await knownOf(db, bundleId, sentIds)
  return withRuleIds(sent, saved, (id) => known.includes(id))
}

/** Whether an id is or was used by a rule of a bundle; events with any other are not counted. */
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

/** Records new ids permanently, in the transaction that saves their policy. */
export function recordRuleIds(db: Store['db'], bundleId: number | SQL<number>, ids: readonly string[]) {
  return ids.length === 0 ? [] : [db.insert(policyRules).values(ids.map((id) => ({ id, bundleId })))]
}

/** The rules without ids, because an id belongs to one bundle for good. */
export function dropIds(policy: SentPolicy | null): SentPolicy | null {
  return policy && { ...policy, rules: policy.rules.map(({ id: _, ...rule }) => rule) }
}
