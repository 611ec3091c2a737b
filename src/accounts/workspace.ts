import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { member, session } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { keyedHash } from '../core/secrets.ts'
import { type Cookie, cookieOf, hostCookieName, LONGEST_SECONDS } from '../identity/cookies.ts'

// A browser remembers which organisation its user last acted for, so that signing out and in again leads back there. The
// cookie grants nothing: whether the user is a member is checked when it is used, and by every request afterwards.

type Keys = Pick<Config, 'secret' | 'origin'>

const COOKIE = 'workspace'
const VALUE = /^([\w-]{22})\.([\w-]{1,64})$/

/** The cookie of a user who acts for an organisation; for one who acts for themselves, it is removed. */
export function workspaceCookie(userId: string, organizationId: string | null, keys: Keys): Cookie {
  if (organizationId === null) return cookieOf(COOKIE, '', 0, keys)
  return cookieOf(COOKIE, `${userHash(userId, keys)}.${organizationId}`, LONGEST_SECONDS, keys)
}

/** Has a new session act for the organisation that this browser remembers of its user, if they are still a member. */
export async function resumeWorkspace(
  { db, write }: Store,
  { token, userId }: { token: string; userId: string },
  remembered: string | null,
  keys: Keys,
): Promise<void> {
  const [, user, organizationId] = VALUE.exec(remembered ?? '') ?? []
  if (organizationId === undefined || user !== userHash(userId, keys)) return
  const membership = db
    .select({ id: member.organizationId })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), eq(member.userId, session.userId)))
  await write([
    db
      .update(session)
      .set({ activeOrganizationId: sql`(${membership})` })
      .where(and(eq(session.token, token), isNull(session.activeOrganizationId))),
  ])
}

/** The name that the cookie is sent under. */
export function workspaceCookieName(keys: Keys): string {
  return hostCookieName(COOKIE, keys)
}

/** Of a shared browser, another user's choice is not taken; and the cookie names no account. */
function userHash(userId: string, { secret }: Keys): string {
  return keyedHash(secret, 'workspace', userId).slice(0, 22)
}
