import type { Config } from '../../config/config.ts'
import { Problem } from '../../core/problem.ts'
import { routes } from '../../core/routes.ts'
import { seal, unseal } from '../../core/secrets.ts'

/** How long a result page exists. */
const KEPT_MS = 24 * 3_600_000
const PURPOSE = 'result page'

export interface CreatedBundle {
  slug: string
  /** Null if it has an owner. */
  claimToken: string | null
}

/** The content of the page after the form. */
interface Result {
  bundles: CreatedBundle[]
  /** How many entries in the list were skipped, changed or dropped as duplicates. */
  left: { skipped: number; changed: number; duplicates: number }
}

/**
 * The path of the page that shows a result. The store has only hashes of claim tokens, so the path contains the tokens,
 * encrypted with the service's secret. It cannot be guessed or forged, and reveals no token in a history or log. It expires
 * after a day, although the tokens are valid for a week.
 */
export function resultPath(result: Result, { secret }: Pick<Config, 'secret'>): string {
  const { bundles, left } = result
  const text = JSON.stringify([
    Date.now() + KEPT_MS,
    bundles.map(({ slug, claimToken }) => [slug, claimToken]),
    [left.skipped, left.changed, left.duplicates],
  ])
  return routes.made.href({ sealed: seal(secret, PURPOSE, text).toString('base64url') })
}

/**
 * Decrypts the result in the path of a result page.
 * @throws Problem NOT_FOUND if it has expired or was not created by this service.
 */
export function readResult(sealed: string, { secret }: Pick<Config, 'secret'>): Result {
  const [until, bundles, [skipped, changed, duplicates]] = read(sealed, secret)
  if (until < Date.now()) throw resultExpired()
  return {
    bundles: bundles.map(([slug, claimToken]) => ({ slug, claimToken })),
    left: { skipped, changed, duplicates },
  }
}

type Sealed = [until: number, bundles: [slug: string, claimToken: string | null][], left: [number, number, number]]

function read(sealed: string, secret: string): Sealed {
  try {
    return JSON.parse(unseal(secret, PURPOSE, Buffer.from(sealed, 'base64url')))
  } catch {
    throw resultExpired()
  }
}

/** The error for a result that has expired or never existed. */
export function resultExpired(): Problem {
  return new Problem(
    'NOT_FOUND',
    'This page has expired: it was available for a day. The links you created still work.',
  )
}
