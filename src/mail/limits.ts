import { accountOf, type Device } from '../identity/devices.ts'
import type { Bucket } from '../limits/bucket.ts'
import { countsOf, giveAllBack, takeAll, tiers } from '../limits/together.ts'

/** Mails that go to an address at somebody's wish, of whatever kind and whoever asks (decisions 13). */
const TO_ONE_ADDRESS = tiers('mail', [
  [5, 3_600_000],
  [20, 86_400_000],
])

/** A mail that is about to be sent, as it was counted. */
interface CountedMail {
  /** Where positive it must not be sent, and may be so many seconds from now. */
  waitSeconds: number
  /** Takes it back: it was not sent after all. */
  undo(): Promise<void>
}

/**
 * Counts a mail to an address.
 * @param device the browser that asks, where it has signed in to the account of that address: what its owner has
 * mailed to themselves is counted apart, for strangers could use up the rest.
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
