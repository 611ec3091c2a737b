import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Policy } from '../../db/policy.ts'
import { bundles, retiredSlugs } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { Subject } from '../identity/caller.ts'
import { withExternalId } from '../operations/external-id.ts'
import type { Site } from '../operations/operation.ts'
import { refuseFull } from '../plans/caps.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { lint } from '../policies/lint.ts'
import { warningsOf } from '../policies/lint-words.ts'
import { refuseStale } from './bundles.ts'
import { LISTED_NAMES, pick } from './content.ts'
import { type Creator, FIRST_VERSION, newContent, refuseNewPassword, refuseUnfit, slugTaken } from './creation.ts'
import { refuseFullHistory } from './history-cap.ts'
import { linkOf } from './link.ts'
import type { SentChanges } from './merge.ts'
import { externalIdTaken, newOwn, ownAfter, toMetadata } from './own-fields.ts'
import { slugHash } from './retired.ts'
import { loadFor, type StoredBundle } from './roles.ts'
import { ChosenSlug, type NewBundle } from './shapes.ts'
import { type Beside, type Edit, nextContent } from './versions.ts'

// What creating and editing would save, without writing.

/**
 * What creating a bundle would save.
 * @throws Problem for whatever creating would refuse now.
 */
export async function create(input: NewBundle, creator: Creator & { keptPassword?: string | null }) {
  const { store, config, caller, client, source, slugField } = creator
  refuseUnfit(input, creator)
  await refuseNewPassword(input, creator)
  if (input.slug !== undefined && (await isTaken(store, input.slug))) throw slugTaken(slugField)
  await refuseFull(store, caller, config)
  const { content, newRuleIds } = newContent(input)
  const own = newOwn(input, client)
  if (caller.kind !== 'anonymous') await refuseTaken(store, { id: null, owner: caller.subject }, own.externalId)
  if (caller.kind !== 'anonymous') await refuseFullHistory(store, caller.subject, { bundle: null, content }, config)
  return dryRunOf(
    {
      slug: input.slug ?? null,
      versionNumber: FIRST_VERSION,
      ...content,
      owner: caller.kind === 'anonymous' ? null : caller.subject,
      source: input.source ?? source,
      client,
      ...own,
      newRuleIds,
    },
    config,
  )
}

/** Whether a caller could create a bundle with this slug now. */
export async function isFree(
  slug: string,
  creator: Pick<Creator, 'store' | 'config' | 'caller' | 'blockedHosts'>,
): Promise<boolean> {
  const { store, config, caller } = creator
  if (!ChosenSlug.allows(slug)) return false
  try {
    refuseUnfit({ slug, urls: [] }, { ...creator, slugField: 'slug' })
    if (await isTaken(store, slug)) return false
    await refuseFull(store, caller, config)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/**
 * What an edit would save.
 * @throws Problem for whatever the edit would refuse now.
 */
export async function edit(edit: Edit, changes: SentChanges, { password, ...sentOwn }: Beside = {}) {
  const { store, config, caller, slug, expectedVersion } = edit
  const bundle = await loadFor(store.db, caller, slug, 'editor')
  const { content, newRuleIds } = await nextContent(edit, bundle, changes, password)
  const own = ownAfter(bundle, sentOwn)
  refuseStale(bundle, expectedVersion)
  await refuseTaken(store, bundle, own.externalId)
  await refuseFullHistory(store, bundle.owner, { bundle, content }, config)
  return dryRunOf({ ...bundle, ...content, ...own, versionNumber: bundle.versionNumber + 1, newRuleIds }, config)
}

type Draft = Omit<StoredBundle, 'slug' | 'owner' | 'id' | 'ownerId' | 'createdAt' | 'updatedAt' | 'deletedAt'> & {
  slug: string | null
  owner: Subject | null
  newRuleIds: readonly string[]
}

function dryRunOf(draft: Draft, site: Site) {
  const { slug, versionNumber, owner, source, externalId, resolutionPolicy, newRuleIds } = draft
  return {
    bundle: {
      slug,
      url: slug === null ? null : linkOf(slug, site),
      versionNumber,
      ...pick(LISTED_NAMES, draft),
      owner,
      source,
      externalId,
      metadata: toMetadata(draft),
      resolutionPolicy: resolutionPolicy === null ? null : withoutNewIds(resolutionPolicy, newRuleIds),
    },
    warnings: resolutionPolicy === null ? [] : warningsOf(lint(resolutionPolicy, Date.now(), draft.variables)),
  }
}

/** New rules get their ids when saved, so ids generated for a dry run are omitted. */
export function withoutNewIds({ version, rules }: Policy, newIds: readonly string[]) {
  return { version, rules: rules.map(({ id, ...rule }) => (newIds.includes(id) ? rule : { id, ...rule })) }
}

/** @throws Problem EXTERNAL_ID_TAKEN if another bundle of the owner has this id. */
async function refuseTaken(
  { db }: Store,
  { id, owner }: { id: number | null; owner: Subject },
  externalId: string | null,
): Promise<void> {
  if (externalId === null) return
  const [other] = await withExternalId(db)(owner.type).all({ owner: subjectIdOf(owner), externalId })
  if (other !== undefined && other.deletedAt === null && other.id !== id) throw externalIdTaken(externalId)
}

async function isTaken({ db }: Store, slug: string): Promise<boolean> {
  const [held, retired] = await db.batch([
    db.select({ slug: bundles.slug }).from(bundles).where(eq(bundles.slug, slug)),
    db
      .select()
      .from(retiredSlugs)
      .where(eq(retiredSlugs.slugHash, slugHash(slug))),
  ])
  return held.length + retired.length > 0
}
