import { passwordHashOf } from '../bundles/passwords.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { duration } from '../core/words.ts'
import { clientAddress } from '../http/client.ts'
import { MAX_PASSWORD_UNITS } from '../identity/password-rules.ts'
import { passwordsAt, withHashQueue } from '../identity/passwords.ts'
import type { Limit } from '../limits/bucket.ts'
import { giveAllBack, networkCounts, takeAll } from '../limits/counts.ts'
import { network, widerNetwork } from '../limits/network.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]

/** Wrong passwords from one network, for whichever bundles. */
const FROM_ONE_NETWORK: Limit = { name: 'bundle-password', max: 10, windowMs: 15 * MINUTE }
/** Wrong passwords for one bundle from everybody together, because a network costs little. */
const FOR_ONE_BUNDLE: Limit = { name: 'bundle-password-all', max: 1_000, windowMs: DAY }

/**
 * Whether a password is a bundle’s. Counts as wrong until it proves right, so that concurrent tries cannot all pass.
 * @throws Problem RATE_LIMITED after too many wrong ones, whether or not this one is right.
 */
export async function isPassword(
  password: string,
  bundleId: number,
  request: Request,
  service: Service,
): Promise<boolean> {
  const { bucket, store, passwordCost } = service
  const address = clientAddress(request)
  const own = network(address)
  const attempt = async () => {
    const counts = [...networkCounts(FROM_ONE_NETWORK, own), { limit: FOR_ONE_BUNDLE, key: String(bundleId) }]
    const { allowed, resetSeconds } = await takeAll(bucket, counts)
    if (!allowed) throw tooMany(resetSeconds)
    let isRight = false
    let isTried = false
    try {
      // A longer one cannot be right, and is not worth a hash.
      const hash = password.length > MAX_PASSWORD_UNITS ? null : await passwordHashOf(store, bundleId)
      isRight = hash !== null && (await passwordsAt(passwordCost).verify({ hash, password }))
      isTried = true
      return isRight
    } finally {
      if (isRight || !isTried) await giveAllBack(bucket, counts)
    }
  }
  return withHashQueue(widerNetwork(address), 1, () => inTurn(own, attempt))
}

function tooMany(seconds: number): Problem {
  return new Problem('RATE_LIMITED', `Too many wrong passwords. Try again in ${duration(seconds)}.`, {
    retryAfterSeconds: seconds,
  })
}

/** The latest try of each network, while there is one. */
const latest = new Map<string, Promise<unknown>>()

/**
 * Runs the tries of one network one after another. Each counts as wrong while it is under way: at once, ten people with the
 * right password would keep an eleventh out. The queue of hashes bounds how many wait.
 */
function inTurn<T>(network: string, run: () => Promise<T>): Promise<T> {
  const before = latest.get(network) ?? Promise.resolve()
  const own = before.then(run)
  const ended = own.then(
    () => {},
    () => {},
  )
  latest.set(network, ended)
  void ended.then(() => {
    if (latest.get(network) === ended) latest.delete(network)
  })
  return own
}
