import { type } from 'arktype'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { bundles, member } from '../../db/schema.ts'
import { Bundle } from '../bundles/content/answers.ts'
import { etag, isSameSubject, loadFor, type StoredBundle, toBundle } from '../bundles/edit/bundles.ts'
import { checkHistoryCap, historyCapReached, isHistoryCapError } from '../bundles/edit/stored.ts'
import { externalIdTaken } from '../bundles/edit/unversioned.ts'
import type { Config } from '../config/config.ts'
import { Slug } from '../core/fields.ts'
import { Problem } from '../core/problem.ts'
import { object, says } from '../core/shape.ts'
import { requireRole, type SignedIn, type Subject, signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { bundleCountOf, capOf, capReached, ensureOwner, ownerId } from '../plans/owners.ts'
import { hasRoomFor, isTooLarge, tooLarge, tooMany, withinBytes } from '../proposals/proposals.ts'

interface Transfer {
  store: Store
  config: Config
  caller: SignedIn
}

/** How often a transfer is retried after losing to concurrent edits. */
const MAX_TRIES = 200

/**
 * Transfers a bundle to an organisation in which the caller is at least an editor, or to the caller. Slug, versions, counts,
 * rules and proposals stay with it, and no version is made. Does nothing if the receiver already owns it.
 * @throws Problem NOT_FOUND; FORBIDDEN for a caller who is not an admin over the bundle, or may not add to the receiver's;
 * PLAN_LIMIT if it does not fit there; EXTERNAL_ID_TAKEN if another bundle there has its external id; VERSION_CONFLICT if it is
 * constantly edited.
 */
async function transfer(
  { store, config, caller }: Transfer,
  { slug, to }: { slug: string; to: Subject },
): Promise<StoredBundle> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const bundle = await loadFor(store.db, caller, slug, 'admin')
    await requireReceiver(store, caller, to)
    if (isSameSubject(bundle.owner, to)) return bundle
    const moved = await give({ store, config }, bundle, to)
    if (moved !== null) return { ...bundle, ...moved, owner: to }
    // Either it does not fit, or the bundle has changed since, which the next try finds out.
    await refuseFull({ store, config }, bundle, to)
  }
  throw new Problem('VERSION_CONFLICT', 'This bundle is being edited too often. Try again.')
}

/** @throws Problem FORBIDDEN, the same whether an organisation does not exist or the caller is no member. */
async function requireReceiver({ db }: Store, { userId }: SignedIn, to: Subject): Promise<void> {
  if (to.type === 'user') {
    if (to.userId === userId) return
    throw new Problem('FORBIDDEN', 'you can only take a bundle yourself: `to` must be your own user id')
  }
  const [found] = await db
    .select({ role: member.role })
    .from(member)
    .where(and(eq(member.organizationId, to.organizationId), eq(member.userId, userId)))
  if (found === undefined) {
    const userMessage = 'You’re not a member of this organisation.'
    throw new Problem('FORBIDDEN', 'you are not a member of the receiving organisation', { userMessage })
  }
  requireRole(found.role, 'editor')
}

/** @returns null, having written nothing, if there is no room for it or it has changed since it was read. */
async function give(
  { store, config }: Pick<Transfer, 'store' | 'config'>,
  { id, ownerId: from, versionNumber, externalId }: StoredBundle,
  to: Subject,
): Promise<{ ownerId: number } | null> {
  const isAsRead = and(
    eq(bundles.id, id),
    eq(bundles.ownerId, sql`${from}`),
    eq(bundles.versionNumber, versionNumber),
    isNull(bundles.deletedAt),
  )
  const isRoom = and(sql`${bundleCountOf(to)} < ${capOf(to, config)}`, hasRoomFor(id, to))
  try {
    const [, result, now] = await store.write([
      ensureOwner(to),
      store.db
        .update(bundles)
        .set({ ownerId: ownerId(to) })
        .where(and(isAsRead, isRoom)),
      sql`SELECT ${ownerId(to)} AS owner`,
      ...withinBytes(to),
      checkHistoryCap(to, config),
    ])
    return result?.rowsAffected === 0 ? null : { ownerId: Number(now?.rows[0]?.owner) }
  } catch (error) {
    if (isHistoryCapError(error)) throw await historyCapReached(store, to, config)
    if (brokenConstraint(error)?.includes('bundles.external_id')) throw externalIdTaken(externalId ?? '')
    throw isTooLarge(brokenConstraint(error)) ? tooLarge() : error
  }
}

/** @throws Problem PLAN_LIMIT if the receiver has no room for a bundle, or for its open proposals. */
async function refuseFull({ store, config }: Pick<Transfer, 'store' | 'config'>, { id }: StoredBundle, to: Subject) {
  const [row] = await store.db
    .select({
      full: sql<number>`${bundleCountOf(to)} >= ${capOf(to, config)}`,
      fits: sql<number>`${hasRoomFor(id, to)}`,
    })
    .from(sql`(SELECT 1)`)
  if (row?.full === 1) throw await capReached(store, to, config)
  if (row?.fits === 0) throw tooMany()
}

const ToOrganization = object({
  type: "'organization'",
  organizationId: says('0 < string <= 64', 'Identifies the organisation.', 'o_27pd'),
})
const ToUser = object({ type: "'user'", userId: says('0 < string <= 64', 'Identifies the user.', 'u_19xk') })
/** The kind of a receiver. */
const Kind = type({ type: "'organization' | 'user'" })

/** Validates a receiver, for errors that are specific to its kind. */
function wholeReceiver(value: unknown) {
  const { type: kind } = value as { type?: unknown }
  return kind === 'organization' ? ToOrganization(value) : kind === 'user' ? ToUser(value) : Kind(value)
}

/** The body of POST /api/links/:slug/transfer, with the slug of its path. */
const TransferBody = object({
  slug: Slug,
  to: says(
    ToOrganization.or(ToUser).configure({ named: 'Receiver', whole: wholeReceiver }, 'self'),
    'Who gets the bundle: an organisation in which you are an editor or admin, or yourself.',
    { type: 'organization', organizationId: 'o_27pd' },
  ),
})

export const transferBundle = implement('transfer_bundle', {
  summary: 'Move a bundle into an organisation, or take it out of one',
  description:
    'Moves a bundle, with its link, versions, counts, rules and proposals. Then only the new ' +
    'owner sees and edits it. Out of an organisation takes an admin.',
  again: 'changes nothing, or is 403 once you no longer see the bundle',
  input: TransferBody,
  example: { slug: 'launch-day', to: { type: 'organization', organizationId: 'o_27pd' } },
  output: Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'EXTERNAL_ID_TAKEN', 'VERSION_CONFLICT'],
  present: toBundle,
  headers: { etag },
  run: (input, { service: { store, config }, caller }) => transfer({ store, config, caller: signedIn(caller) }, input),
})
