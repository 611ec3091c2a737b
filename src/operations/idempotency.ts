import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { idempotencyAnswers as answers, owners } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { keyedHash, seal, unseal } from '../core/secrets.ts'
import type { Caller } from '../identity/caller.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'

/** How long the first answer to a key is replayed. */
export const ANSWERS_KEPT_MS = 24 * 3_600_000

/** Size of the answers kept for one owner, row overhead included. Beyond it the oldest are erased. */
const MAX_OWNED_BYTES = 8 * 2 ** 20
/** Answers erased at once: together larger than any added one, because a row counts 256 bytes besides its answer. */
const ERASED_AT_ONCE = 64
/** Length from which a key counts as unguessable: a UUID has 36 characters, 16 random bytes in base64 have 22. */
const UNGUESSABLE = 22

/** Writes an effect and its answer atomically. The answer must not repeat large parts of the input: see `replayed`. */
export type Commit = (writes: readonly Query[], answer: unknown) => Promise<unknown>

export interface IdempotentCall {
  key: string
  caller: Caller
  /** The User-Agent, because callers without an account are otherwise known only by an address, which others share. */
  agent: string
  operation: string
  input: unknown
}

/** A stored first answer, returned again. */
interface Replay {
  /** Whether the caller has proved that they sent the first call, and not just somebody with the same address. */
  isProven: boolean
}

/**
 * Runs a creating call so that it takes effect once per key, whatever the timing. The answer is stored in
 * the transaction of the effect, so no crash can separate them and there is no “in progress” state: of concurrent calls
 * the database accepts one, and the others find its answer.
 * @throws Problem IDEMPOTENCY_CONFLICT if the key was used with another body.
 */
export async function once<T>(
  { store, secret }: { store: Store; secret: string },
  call: IdempotentCall,
  run: (commit: Commit) => Promise<T> | T,
): Promise<{ answer: T; replay: Replay | null }> {
  const keyHash = keyedHash(
    secret,
    'idempotency key',
    JSON.stringify([callerId(call.caller), call.operation, call.key]),
  )
  const requestHash = keyedHash(secret, 'idempotent request', canonical(call.input))
  const subject = call.caller.kind === 'anonymous' ? null : call.caller.subject
  const agentHash = subject === null ? keyedHash(secret, 'idempotent agent', call.agent) : null
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
    const isProven = agentHash === null || (call.key.length >= UNGUESSABLE && row.agentHash === agentHash)
    return { answer: JSON.parse(unseal(secret, passphrase, row.answer)) as T, replay: { isProven } }
  }

  const commit: Commit = async (writes, answer) => {
    const now = Date.now()
    await store.write([
      store.db.delete(answers).where(and(eq(answers.keyHash, keyHash), lte(answers.createdAt, now - ANSWERS_KEPT_MS))),
      ...(subject === null ? [] : [ensureOwner(subject)]),
      store.db.insert(answers).values({
        keyHash,
        ownerId: subject === null ? null : ownerId(subject),
        requestHash,
        agentHash,
        answer: seal(secret, passphrase, JSON.stringify(answer)),
        createdAt: now,
      }),
      ...(subject === null ? [] : [eraseOldest(store.db, ownerId(subject), keyHash)]),
      ...writes,
    ])
  }

  const first = await stored()
  if (first !== null) return first
  try {
    return { answer: await run(commit), replay: null }
  } catch (error) {
    const lostTheRace = brokenConstraint(error)?.includes('idempotency_answers') ?? false
    const winner = lostTheRace ? await stored() : null
    if (winner === null) throw error
    return winner
  }
}

/** Identifies a caller in the keys of stored answers. */
function callerId(caller: Caller): string {
  if (caller.kind === 'anonymous') return `address:${caller.address}`
  return caller.kind === 'key' ? `key:${caller.key.id}` : JSON.stringify([caller.userId, caller.subject])
}

/** Erases an owner's oldest answers if there are too many, but never the newest. */
function eraseOldest(db: Store['db'], owner: ReturnType<typeof ownerId>, newest: string): Query {
  const isFull = sql`(SELECT ${owners.answerBytes} FROM ${owners} WHERE ${owners.id} = ${owner}) > ${MAX_OWNED_BYTES}`
  const oldest = sql`SELECT ${answers.keyHash} FROM ${answers} WHERE ${answers.ownerId} = ${owner} AND ${answers.keyHash} <> ${newest} ORDER BY ${answers.createdAt} LIMIT ${ERASED_AT_ONCE}`
  return db.delete(answers).where(and(isFull, sql`${answers.keyHash} IN (${oldest})`))
}

/** JSON with sorted object keys, so that equal inputs have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
