import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { duration } from '../core/words.ts'
import { accountOf, deviceOf } from '../identity/devices.ts'
import { type Bucket, type Count, countsOf, giveAllBack, takeAll, tiers } from '../limits/rate-limits.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** Failed attempts on one account from one source: a network, a known browser, or a session. */
const FROM_ONE_SOURCE = tiers('guess-source', [
  [5, MINUTE],
  [10, 15 * MINUTE],
  [20, HOUR],
  [40, DAY],
])
/** Failed attempts on one account from all unknown browsers together. */
const FROM_STRANGERS = tiers('guess-strangers', [
  [10, MINUTE],
  [50, HOUR],
  [100, DAY],
])
/** And from all known browsers: someone who held the account before its owner may have any number of their cookies. */
const FROM_KNOWN_BROWSERS = tiers('guess-known-browsers', [[100, DAY]])

/** An attempt at a password. */
export interface Attempt {
  /** The account's address, as typed. */
  email: string
  headers: Headers
  /** The client’s network; null if a session confirms its own account: those attempts count together. */
  network: string | null
  /** First sentence of the error. */
  tooMany: string
}

/**
 * Runs an attempt at a password, unless too many have failed lately. It counts as failed until it succeeds, so that concurrent
 * ones cannot all pass.
 * @param wasWrong whether an answer counts as failed.
 * @throws Problem RATE_LIMITED, whether or not the account exists; also throws whatever `run` throws.
 */
export async function withGuessLimit<T>(
  attempt: Attempt,
  { bucket, config }: { bucket: Bucket; config: Config },
  run: () => Promise<T>,
  wasWrong: (answer: T) => Promise<boolean>,
): Promise<T> {
  const counts = countsFor(attempt, config)
  const { allowed, resetSeconds: seconds } = await takeAll(bucket, counts)
  if (!allowed) {
    const otherwise =
      attempt.network === null ? 'set a new password with an emailed link' : 'sign in with an emailed link'
    throw new Problem('RATE_LIMITED', `${attempt.tooMany} Try again in ${duration(seconds)}, or ${otherwise}.`, {
      retryAfterSeconds: seconds,
    })
  }
  let isWrong = false
  try {
    const answer = await run()
    isWrong = await wasWrong(answer)
    return answer
  } finally {
    if (!isWrong) await giveAllBack(bucket, counts)
  }
}

function countsFor({ email, headers, network }: Attempt, config: Config): Count[] {
  const account = accountOf(email)
  if (network === null) return countsOf(FROM_ONE_SOURCE, `session ${account}`)
  const device = deviceOf(headers, email, config)
  return device === null
    ? [...countsOf(FROM_ONE_SOURCE, `network ${network} ${account}`), ...countsOf(FROM_STRANGERS, account)]
    : [
        ...countsOf(FROM_ONE_SOURCE, `device ${device.id} ${account}`),
        ...countsOf(FROM_KNOWN_BROWSERS, `${device.isOwners ? 'owner' : 'other'} ${account}`),
      ]
}
