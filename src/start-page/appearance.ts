import { and, eq, isNotNull, or, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { formerHandles, LOOK, member, type OrganizationLook, organization } from '../../db/schema.ts'
import { checkHistoryCap, historyCapReached, isHistoryCapError } from '../bundles/edit/stored.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { fingerprint } from '../core/secrets.ts'
import { DAY_MS } from '../core/time.ts'
import type { Drawn } from '../icons/drawing.ts'
import type { Subject } from '../identity/caller.ts'
import { ensureOwner } from '../plans/owners.ts'
import { keeping } from './pictures.ts'

/** An organisation as its start page shows it. */
export interface Presented extends OrganizationLook {
  id: string
  /** The end of its start page’s address; null for no start page. */
  handle: string | null
}

/** The most characters of a handle. */
export const MAX_HANDLE = 40

/** How long a former handle leads to the new one. */
const LEADS_MS = 90 * DAY_MS
/** The most former handles of an organisation: nobody else can take them. */
const MOST_FORMER = 10

const COLUMNS = { id: organization.id, ...LOOK, handle: organization.handle }

/** The organisation with a handle, found by it or by its id; null if there is none. */
export async function organizationAt({ db }: Pick<Store, 'db'>, named: string): Promise<Presented | null> {
  const isNamed = or(eq(organization.handle, named), and(eq(organization.id, named), isNotNull(organization.handle)))
  const [found] = await db.select(COLUMNS).from(organization).where(isNamed)
  return found ?? null
}

/** The handle to which a former one leads; null if it leads nowhere. */
export async function handleAfter({ db }: Pick<Store, 'db'>, former: string): Promise<string | null> {
  const [found] = await db
    .select({ handle: organization.handle })
    .from(formerHandles)
    .innerJoin(organization, eq(organization.id, formerHandles.organizationId))
    .where(
      and(eq(formerHandles.handleHash, handleHash(former)), sql`${formerHandles.endedAt} > ${Date.now() - LEADS_MS}`),
    )
  return found?.handle ?? null
}

/** A change of how an organisation presents itself; a missing part stays. */
interface Changes extends Partial<Pick<Presented, 'handle' | 'color'>> {
  picture?: Pick<Drawn, 'id' | 'png'> | null
}

/**
 * Changes how an organisation presents itself, if the person is still one of its admins.
 * @throws Problem HANDLE_TAKEN; PLAN_LIMIT if it has given up too many handles, or has no room for a picture; FORBIDDEN.
 */
export async function changeAppearance(
  store: Store,
  { organizationId, userId }: { organizationId: string; userId: string },
  { picture, ...changes }: Changes,
  caps: Pick<Config, 'maxHistoryBytes'>,
): Promise<void> {
  const { db, write } = store
  const { handle } = changes
  const subject: Subject = { type: 'organization', organizationId }
  const hash = handle == null ? null : handleHash(handle)
  const isAdmin = sql`EXISTS (SELECT 1 FROM ${member} WHERE ${member.organizationId} = ${organizationId} AND ${member.userId} = ${userId} AND ${member.role} = 'admin')`
  const former = sql`(SELECT count(*) FROM ${formerHandles} WHERE ${formerHandles.organizationId} = ${organizationId} AND ${formerHandles.handleHash} IS NOT ${hash})`
  const isRoom =
    handle === undefined
      ? undefined
      : sql`(${organization.handle} IS NULL OR ${organization.handle} IS ${handle} OR ${former} < ${MOST_FORMER})`
  try {
    const [result] = await write([
      db
        .update(organization)
        .set({
          ...changes,
          ...(handle === undefined ? {} : { handleHash: hash }),
          ...(picture === undefined ? {} : { pictureId: picture?.id ?? null }),
        })
        .where(and(eq(organization.id, organizationId), isAdmin, isRoom)),
      // Its bytes count against the organisation’s plan.
      ...(picture == null ? [] : [ensureOwner(subject)]),
      ...(picture === undefined ? [] : keeping(organizationId, picture)),
      ...(picture == null ? [] : [checkHistoryCap(subject, caps)]),
    ])
    if (result?.rowsAffected === 1) return
  } catch (error) {
    if (isHistoryCapError(error)) throw await historyCapReached(store, subject, caps)
    if (brokenConstraint(error)?.includes('organization.handle') !== true) throw error
    throw handleTaken()
  }
  const [stillAdmin] = await db
    .select({ is: sql<number>`${isAdmin}` })
    .from(organization)
    .limit(1)
  if (stillAdmin?.is !== 1) throw new Problem('FORBIDDEN', 'needs role admin')
  throw new Problem(
    'PLAN_LIMIT',
    `This organisation has given up ${MOST_FORMER} handles, which is the limit. Choose one of them, or keep the present one.`,
  )
}

function handleTaken(): Problem {
  return new Problem('HANDLE_TAKEN', 'handle is taken: choose another', {
    userMessage: 'This address is taken. Choose another.',
  })
}

/** What remains of a former handle, after a character that no handle has. */
function handleHash(handle: string): string {
  return `#${fingerprint(handle)}`
}
