import { and, eq, gt, lte } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { idempotencyAnswers as answers } from '../../db/schema.ts'
import type { Subject } from '../identity/caller.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { Problem } from './problem.ts'
import { keyedHash, seal, unseal } from './secrets.ts'

/** How long the first answer to a key is replayed (decisions 1). */
export const ANSWERS_KEPT_MS = 24 * 3_600_000

/** Writes an effect and its answer atomically. */
export type Commit = (writes: readonly Query[], answer: unknown) => Promise<unknown>

/** A call with an idempotency key; `caller` identifies the caller. */
interface Call {
  key: string
  caller: string
  /** Who owns the effect; null if nobody is signed in. */
  subject: Subject | null
  operation: string
  input: unknown
}

/**
 * Runs a creating call so that it takes effect once per key, whatever the timing (decisions 1). The answer is stored in
 * the transaction of the effect, so no crash can separate them and there is no “in progress” state: of concurrent calls
 * the database accepts one, and the others find its answer.
 * @throws Problem IDEMPOTENCY_CONFLICT if the key was used with another body.
 */
export async function once<T>(
  { store, secret }: { store: Store; secret: string },
  call: Call,
  run: (commit: Commit) => Promise<T> | T,
): Promise<{ answer: T; replayed: boolean }> {
  const keyHash = keyedHash(secret, 'idempotency key', JSON.stringify([call.caller, call.operation, call.key]))
  const requestHash = keyedHash(secret, 'idempotent request', canonical(call.input))
  const passphrase = `${keyHash}\0${call.key}`

  const stored = async () => {
    const [row] = await store.db
      .select()
      .from(answers)
      .where(and(eq(answers.keyHash, keyHash), gt(answers.createdAt, Date.now() - ANSWERS_KEPT_MS)))
    if (row === undefined) return null
    if (row.requestHash !== requestHash) {
      throw new Problem(
        'IDEMPOTENCY_CONFLICT',
        'This Idempotency-Key was used with another body. Send the first body again, or use a new key.',
      )
    }
    return { answer: JSON.parse(unseal(secret, passphrase, row.answer)) as T, replayed: true }
  }

  const commit: Commit = async (writes, answer) => {
    const now = Date.now()
    await store.write([
      store.db.delete(answers).where(and(eq(answers.keyHash, keyHash), lte(answers.createdAt, now - ANSWERS_KEPT_MS))),
      ...(call.subject === null ? [] : [ensureOwner(call.subject)]),
      store.db.insert(answers).values({
        keyHash,
        ownerId: call.subject === null ? null : ownerId(call.subject),
        requestHash,
        answer: seal(secret, passphrase, JSON.stringify(answer)),
        createdAt: now,
      }),
      ...writes,
    ])
  }

  const first = await stored()
  if (first !== null) return first
  try {
    return { answer: await run(commit), replayed: false }
  } catch (error) {
    const lostTheRace = brokenConstraint(error)?.includes('idempotency_answers') ?? false
    const winner = lostTheRace ? await stored() : null
    if (winner === null) throw error
    return winner
  }
}

/** JSON with sorted object keys, so that equal inputs have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
