import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { duration } from '../core/words.ts'
import { accountOf, type Device } from '../identity/devices.ts'
import { type Bucket, countsOf, giveAllBack, takeAll, tiers } from '../limits/rate-limits.ts'

/** Requested mails to one address, of any kind and from anyone. */
const TO_ONE_ADDRESS = tiers('mail', [
  [5, 3_600_000],
  [20, 86_400_000],
])

/** The purpose under which requests for mails are counted per network. */
export const MAILS = 'mail'

/** How long to wait while the mail server accepts none of the waiting mails. */
const FULL_FOR_SECONDS = 600

/**
 * Runs an action that mails an address, within the limit on mails to it.
 * @param isSent whether the result means that the mail is on its way; otherwise, and if the action throws, the mail does not
 * count.
 * @throws Problem RATE_LIMITED.
 */
export async function withMailCounted<Result>(
  { mailer, bucket }: Pick<Service, 'mailer' | 'bucket'>,
  to: string,
  device: Device | null,
  mail: () => Promise<Result>,
  isSent: (result: Result) => boolean = () => true,
): Promise<Result> {
  if (mailer.isFull) throw tooMany('Too many emails are waiting to be sent.', FULL_FOR_SECONDS)
  const { waitSeconds, undo } = await countMail(bucket, to, device)
  if (waitSeconds > 0) throw tooMany('We’ve sent too many emails to this address lately.', waitSeconds)
  let isDone = false
  try {
    const result = await mail()
    isDone = isSent(result)
    return result
  } finally {
    if (!isDone) await undo()
  }
}

function tooMany(what: string, retryAfterSeconds: number): Problem {
  return new Problem('RATE_LIMITED', `${what} Try again in ${duration(retryAfterSeconds)}.`, { retryAfterSeconds })
}

/** A mail that has been counted and is about to be sent. */
interface CountedMail {
  /** If positive, the mail must not be sent for this many seconds. */
  waitSeconds: number
  /** Uncounts the mail, if it was not sent after all. */
  undo(): Promise<void>
}

/**
 * Counts a mail to an address.
 * @param device the requesting browser, if it has signed in to the account of that address. The owner’s own requests
 * are counted apart, because strangers could use up the rest.
 */
export async function countMail(bucket: Bucket, to: string, device: Device | null): Promise<CountedMail> {
  const counts = countsOf(TO_ONE_ADDRESS, device?.isOwners ? `${device.id} ${accountOf(to)}` : accountOf(to))
  const { allowed, resetSeconds } = await takeAll(bucket, counts)
  const waitSeconds = allowed ? 0 : resetSeconds
  return {
    waitSeconds,
    undo: async () => {
      if (waitSeconds === 0) await giveAllBack(bucket, counts)
    },
  }
}
