import { accountOf, type Device } from '../identity/devices.ts'
import type { Bucket } from '../limits/bucket.ts'
import { countsOf, giveAllBack, takeAll, tiers } from '../limits/counts.ts'

/** Mails to one address on request, of any kind and from anyone. */
const TO_ONE_ADDRESS = tiers('mail', [
  [5, 3_600_000],
  [20, 86_400_000],
])

/** A mail that has been counted and is about to be sent. */
interface CountedMail {
  /** If positive, the mail must not be sent for so many seconds. */
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
