import type { Policy, Rule } from '../../db/policy.ts'
import { type CompiledPolicy, compile } from './evaluate.ts'
import type { ViewerRequest } from './facts.ts'
import { viewerOf } from './viewer.ts'

/** A compiled policy as launchers use it. */
export interface LauncherPolicy extends Pick<CompiledPolicy, 'needs' | 'needsAccount'> {
  /** The first rule that the sender of a request matches, or null. */
  match(request: ViewerRequest): Rule | null
}

/** Compiles a policy for a launcher. */
export function launcherPolicy(policy: Policy): LauncherPolicy {
  const { needs, needsAccount, match } = compile(policy)
  return { needs, needsAccount, match: (request) => match(viewerOf(request)) }
}
