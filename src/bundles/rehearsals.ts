import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Policy } from '../../db/policy.ts'
import { bundles } from '../../db/schema.ts'
import type { Subject } from '../identity/identify.ts'
import { refuseFull } from '../limits/plans.ts'
import { lint } from '../policies/lint.ts'
import { loadFor, type StoredBundle } from './access.ts'
import { type Creator, contentOf, refuseStale, refuseUnfit, slugTaken } from './bundles.ts'
import { toMetadata } from './present.ts'
import type { NewBundle } from './shapes.ts'
import { becoming, type Changes, type Edit } from './versions.ts'

// What creating and editing would save, with nothing written (decisions 10).

/**
 * What creating a bundle would save.
 * @throws Problem for whatever creating would refuse as things stand.
 */
export async function ofCreation(input: NewBundle, creator: Creator) {
  const { store, config, caller, client, source } = creator
  refuseUnfit(input, creator)
  if (input.slug !== undefined && (await isTaken(store, input.slug))) throw slugTaken()
  await refuseFull(store, caller, config)
  const { content, newRuleIds } = contentOf(input)
  return rehearsed({
    slug: input.slug ?? null,
    ...content,
    owner: caller.kind === 'anonymous' ? null : caller.subject,
    source: input.source ?? source,
    client,
    newRuleIds,
  })
}

/**
 * What an edit would save.
 * @throws Problem for whatever the edit would refuse as things stand.
 */
export async function ofEdit(edit: Edit, changes: Changes) {
  const { store, caller, slug, expectedVersion } = edit
  const bundle = await loadFor(store.db, caller, slug, 'editor')
  const { content, newRuleIds } = await becoming(edit, bundle, changes)
  refuseStale(bundle, expectedVersion)
  return rehearsed({ ...bundle, ...content, newRuleIds })
}

type Draft = Omit<
  StoredBundle,
  'slug' | 'owner' | 'id' | 'ownerId' | 'versionNumber' | 'createdAt' | 'updatedAt' | 'deletedAt'
> & {
  slug: string | null
  owner: Subject | null
  newRuleIds: readonly string[]
}

function rehearsed(draft: Draft) {
  const { slug, urls, urlMetadata, title, description, owner, source, client, resolutionPolicy, newRuleIds } = draft
  return {
    bundle: {
      slug,
      urls,
      urlMetadata,
      title,
      description,
      owner,
      source,
      metadata: toMetadata(client),
      resolutionPolicy: resolutionPolicy === null ? null : withoutNewIds(resolutionPolicy, newRuleIds),
    },
    warnings: resolutionPolicy === null ? [] : lint(resolutionPolicy, Date.now()),
  }
}

/** A new rule gets its id when it is saved: one that was made for this answer would name nothing. */
function withoutNewIds({ version, rules }: Policy, newIds: readonly string[]) {
  return { version, rules: rules.map(({ id, ...rule }) => (newIds.includes(id) ? rule : { id, ...rule })) }
}

async function isTaken({ db }: Store, slug: string): Promise<boolean> {
  const found = await db.select({ id: bundles.id }).from(bundles).where(eq(bundles.slug, slug))
  return found.length > 0
}
