import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { duration } from '../core/words.ts'
import type { Bucket } from '../limits/bucket.ts'
import { type Count, countsOf, giveAllBack, takeAll, tiers } from '../limits/together.ts'
import { accountOf, deviceOf } from './devices.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** Wrong tries at one account from one source: a network, a browser that is known, or a session. */
const FROM_ONE_SOURCE = tiers('guess-source', [
  [5, MINUTE],
  [10, 15 * MINUTE],
  [20, HOUR],
  [40, DAY],
])
/** The same from all browsers together that have not signed in to it before. */
const FROM_STRANGERS = tiers('guess-strangers', [
  [10, MINUTE],
  [50, HOUR],
  [100, DAY],
])
/** And from all that have: whoever had the account before its owner may hold any number of their cookies. */
const FROM_KNOWN_BROWSERS = tiers('guess-known-browsers', [[100, DAY]])

/** Who tries a password, and at which account. */
export interface Try {
  /** The account's address, as typed. */
  email: string
  headers: Headers
  /** The client's network; null for a session's own account, whose tries count together wherever they come from. */
  network: string | null
  /** What there were too many of, as a sentence. */
  tooMany: string
}

/**
 * Lets a password be tried, unless too many were wrong lately (decisions 13). It counts as wrong until it has turned out
 * not to be, so that tries at the same moment cannot all get through.
 * @param wasWrong tells of an answer whether it counts.
 * @throws Problem RATE_LIMITED, alike whether there is such an account; whatever `run` throws.
 */
export async function guess<T>(
  tried: Try,
  { bucket, config }: { bucket: Bucket; config: Config },
  run: () => Promise<T>,
  wasWrong: (answer: T) => Promise<boolean>,
): Promise<T> {
  const counts = countsFor(tried, config)
  const { allowed, resetSeconds: seconds } = await takeAll(bucket, counts)
  if (!allowed) {
    const otherwise = tried.network === null ? 'set a new password by a mailed link' : 'sign in by a mailed link'
    throw new Problem('RATE_LIMITED', `${tried.tooMany} Try again in ${duration(seconds)}, or ${otherwise}.`, {
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

function countsFor({ email, headers, network }: Try, config: Config): Count[] {
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
