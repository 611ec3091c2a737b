import { eq, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundlePasswords, type Content } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import type { Reason } from '../core/issue.ts'
import { invalid, type Problem } from '../core/problem.ts'
import { unfitPassword } from '../identity/password-rules.ts'
import { BOUNDS } from './bounds.ts'

// The passwords of bundles. Only their hashes are stored, beside the bundle and in no version.

const REASONS: Record<NonNullable<Awaited<ReturnType<typeof unfitPassword>>>['code'], Reason> = {
  PASSWORD_TOO_SHORT: { code: 'password_too_short', min: 8 },
  PASSWORD_TOO_LONG: { code: 'password_too_long', max: BOUNDS.password },
  PASSWORD_TOO_COMMON: { code: 'password_too_common' },
  PASSWORD_IS_PERSONAL: { code: 'password_is_the_service' },
}

/** What is to be saved, as far as passwords are concerned. */
interface Protected {
  before: Pick<Content, 'access'>
  content: Pick<Content, 'access'>
  /** As sent; never stored. */
  password: string | undefined
}

/**
 * Refuses a password that is missing, unfit or of no use.
 * @throws Problem BAD_REQUEST.
 */
export async function refuseUnfitPassword(
  { before, content, password }: Protected,
  { name }: Pick<Config, 'name'>,
): Promise<void> {
  const isProtected = content.access === 'password'
  if (password === undefined) {
    if (isProtected && before.access !== 'password') throw unfit({ code: 'password_missing' })
    return
  }
  if (!isProtected) throw unfit({ code: 'password_unused' })
  const refusal = await unfitPassword(password, { email: null, service: name })
  if (refusal !== null) throw unfit(REASONS[refusal.code])
}

function unfit(reason: Reason): Problem {
  return invalid([{ path: ['password'], reason }])
}

/** Hashes a bundle’s password. @throws Problem RATE_LIMITED. */
export type HashPassword = (password: string) => Promise<string>

/** The statement that saves the hash of a bundle’s password. */
export function savePassword(db: Store['db'], bundleId: SQL<number> | number, hash: string): Query {
  return db
    .insert(bundlePasswords)
    .values({ bundleId: sql`${bundleId}`, hash })
    .onConflictDoUpdate({ target: bundlePasswords.bundleId, set: { hash } })
}

/** The hash of a bundle’s password; null if it never had one. */
export async function passwordHashOf({ db }: Pick<Store, 'db'>, bundleId: number): Promise<string | null> {
  const [row] = await db
    .select({ hash: bundlePasswords.hash })
    .from(bundlePasswords)
    .where(eq(bundlePasswords.bundleId, bundleId))
  return row?.hash ?? null
}
