import type { Store } from '../../../db/client.ts'
import type { Policy } from '../../../db/policy.ts'
import { Problem } from '../../core/problem.ts'
import type { Subject } from '../../identity/caller.ts'
import { withExternalId } from '../../operations/bundle-reference.ts'
import type { Site } from '../../operations/operation.ts'
import { refuseFull, subjectIdOf } from '../../plans/owners.ts'
import { lint, warningsOf } from '../../policies/lint.ts'
import { LISTED_NAMES, pick } from '../content/content.ts'
import type { NewBundle } from '../content/shapes.ts'
import { linkOf } from '../links/link-fields.ts'
import { loadFor, refuseStale, type StoredBundle } from './bundles.ts'
import { type Creator, FIRST_VERSION, newContent, refuseNewPassword, refuseUnfit } from './creation.ts'
import { type Edit, nextContent, type SentChanges, type UnversionedChanges } from './edit.ts'
import { refuseFullHistory } from './stored.ts'
import {
  aliasesIn,
  ChosenSlug,
  externalIdTaken,
  isTaken,
  newUnversioned,
  refuseTakenAliases,
  slugTaken,
  toMetadata,
  unversionedAfter,
} from './unversioned.ts'

// Dry runs: what creating and editing would save, without writing.

/**
 * The bundle that creating would save.
 * @throws Problem if creating would be refused now.
 */
export async function create(
  input: NewBundle,
  creator: Creator & { keptPassword?: string | null; areRulesKept?: boolean },
) {
  const { store, config, caller, client, source, slugField } = creator
  refuseUnfit(input, creator)
  await refuseNewPassword(input, creator)
  if (input.slug !== undefined && (await isTaken(store.db, input.slug, null))) throw slugTaken(slugField)
  await refuseFull(store, caller, config)
  const { content, newRuleIds } = newContent(input, creator.areRulesKept)
  const own = newUnversioned(input, client)
  await refuseTakenAliases(store, input.aliases ?? [], null)
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
    if (await isTaken(store.db, slug, null)) return false
    await refuseFull(store, caller, config)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/**
 * The bundle that an edit would save.
 * @throws Problem if the edit would be refused now.
 */
export async function edit(
  edit: Edit,
  changes: SentChanges,
  { password, ...sentUnversioned }: UnversionedChanges = {},
) {
  const { store, config, caller, slug, expectedVersion } = edit
  const bundle = await loadFor(store.db, caller, slug, 'editor')
  const { content, newRuleIds } = await nextContent(edit, bundle, changes, password)
  const own = unversionedAfter(bundle, sentUnversioned)
  refuseStale(bundle, expectedVersion)
  await refuseTaken(store, bundle, own.externalId)
  await refuseTakenAliases(store, sentUnversioned.aliases ?? [], bundle.id)
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
      aliases: aliasesIn(draft.aliases),
      resolutionPolicy: resolutionPolicy === null ? null : dropNewIds(resolutionPolicy, newRuleIds),
    },
    warnings:
      resolutionPolicy === null ? [] : warningsOf(lint(resolutionPolicy, Date.now(), draft.variables, draft.urls)),
  }
}

/** A policy without the ids generated for a dry run: new rules get their ids when saved. */
export function dropNewIds({ version, rules }: Policy, newIds: readonly string[]) {
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
