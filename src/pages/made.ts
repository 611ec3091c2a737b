import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { seal, unseal } from '../core/secrets.ts'

/** How long the page of a result is there. */
const KEPT_MS = 24 * 3_600_000
const PURPOSE = 'result page'

/** A bundle that a form has made. */
export interface Made {
  slug: string
  /** Null where it is somebody's already. */
  claimToken: string | null
}

/** What the page after a form shows. */
export interface Result {
  bundles: Made[]
  /** How much of the list was not taken as it came. */
  left: { skipped: number; changed: number; doubles: number }
}

/**
 * The address of the page that tells what was made. Claim tokens are stored as hashes alone, so the address holds them,
 * sealed under the service's secret: it can be neither guessed nor made, shows no token to whoever reads it in a history,
 * a log or over a shoulder, and leads nowhere after a day, while the token inside lives for a week.
 */
export function madeAddress(result: Result, { secret }: Pick<Config, 'secret'>): string {
  const { bundles, left } = result
  const text = JSON.stringify([
    Date.now() + KEPT_MS,
    bundles.map(({ slug, claimToken }) => [slug, claimToken]),
    [left.skipped, left.changed, left.doubles],
  ])
  return `/made/${seal(secret, PURPOSE, text).toString('base64url')}`
}

/**
 * What such an address holds.
 * @throws Problem NOT_FOUND for one that is too old, or that this service did not make.
 */
export function resultAt(sealed: string, { secret }: Pick<Config, 'secret'>): Result {
  const [until, bundles, [skipped, changed, doubles]] = read(sealed, secret)
  if (until < Date.now()) throw lapsed()
  return { bundles: bundles.map(([slug, claimToken]) => ({ slug, claimToken })), left: { skipped, changed, doubles } }
}

type Sealed = [until: number, bundles: [slug: string, claimToken: string | null][], left: [number, number, number]]

function read(sealed: string, secret: string): Sealed {
  try {
    return JSON.parse(unseal(secret, PURPOSE, Buffer.from(sealed, 'base64url')))
  } catch {
    throw lapsed()
  }
}

/** The refusal of a result that is no longer shown, or never was. */
export function lapsed(): Problem {
  return new Problem('NOT_FOUND', 'This page was there for a day, and is gone now. The links you made still work.')
}
