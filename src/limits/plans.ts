import { Problem } from '../problem.ts'

/** The refusal when a subject holds as many bundles as its plan allows (decisions 4). */
export function anonymousCapReached(max: number): Problem {
  return new Problem(
    'PLAN_LIMIT',
    `Your address holds ${max} unclaimed bundles, the most there may be without an account. Claim some of them to make more.`,
  )
}
