import type { Policy, Rule } from '../../db/policy.ts'
import { type CompiledPolicy, compile } from './evaluate.ts'
import { type Sighting, seen } from './viewer.ts'

/** A policy as a launcher asks it. */
export interface AskedPolicy extends Pick<CompiledPolicy, 'needs'> {
  /** The first rule that holds for whoever a request came from, or null. */
  match(sighting: Sighting): Rule | null
}

/** Compiles a policy for a launcher. Imported with the first bundle that has one: most have none. */
export function asked(policy: Policy): AskedPolicy {
  const { needs, match } = compile(policy)
  return { needs, match: (sighting) => match(seen(sighting)) }
}
