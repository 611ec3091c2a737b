import type { Code } from '../core/codes.ts'
import { type Problem, toProblem } from '../core/problem.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import type { Commit } from '../operations/idempotency.ts'
import type { IdempotentContext } from '../operations/operation.ts'
import type { CreatedBundle } from './answers.ts'

/** What became of one entry. */
export type BulkResult = { status: number; bundle: CreatedBundle } | { status: number; error: string; code: Code }

/** After these, the entries that follow would fail alike: they are not tried. */
const ENDS: readonly string[] = ['RATE_LIMITED', 'STORE_UNAVAILABLE']

/**
 * Runs the entries of a call in order, each in a transaction of its own, with other requests in between. Once all have
 * succeeded, an idempotency key is used up; until then, a repeated call tries those that failed, and only those.
 * @throws Problem IDEMPOTENCY_CONFLICT; what is the service’s own fault.
 */
export async function inTurns<Entry>(
  entries: readonly Entry[],
  status: 200 | 201,
  { part, commit, idempotencyKey }: Pick<IdempotentContext, 'part' | 'commit' | 'idempotencyKey'>,
  run: (entry: Entry, commit: Commit) => Promise<CreatedBundle>,
): Promise<{ results: BulkResult[] }> {
  const results: BulkResult[] = []
  let end: Problem | null = null
  for (const [at, entry] of entries.entries()) {
    const beganAt = performance.now()
    try {
      if (end !== null) throw end
      results.push({ status, bundle: await part(at, entry, (commit) => run(entry, commit)) })
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'INTERNAL_ERROR' || problem.code === 'IDEMPOTENCY_CONFLICT') throw error
      if (ENDS.includes(problem.code)) end = problem
      results.push({ status: problem.status, error: problem.message, code: problem.code })
    }
    await yieldToEventLoop(beganAt)
  }
  if (idempotencyKey !== null && results.every((result) => 'bundle' in result)) await commit([], { results })
  return { results }
}
