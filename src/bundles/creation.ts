import { randomInt } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { param, params, preparedStatements } from '../../db/prepared.ts'
import { bundles, type SharedName } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config/config.ts'
import { OWN_PATHS } from '../core/launcher-link.ts'
import { Problem } from '../core/problem.ts'
import type { Caller, Subject } from '../identity/caller.ts'
import { requireRole } from '../identity/roles.ts'
import type { Commit } from '../operations/idempotency.ts'
import {
  anonymousCapReached,
  bundleCountOf,
  bundleCountOfAddress,
  capOf,
  capReached,
  hashOfAddress,
} from '../plans/caps.ts'
import { ensureOwner, ownerId, subjectIdOf, subjectOf } from '../plans/owners.ts'
import { recordRuleIds, withRuleIds } from '../policies/rule-ids.ts'
import type { CreatedBundle } from './answers.ts'
import { type ClaimMail, newClaim } from './claims.ts'
import { NAMES } from './content.ts'
import { checkHistoryCap, historyCapReached, isHistoryCapError } from './history-cap.ts'
import { linkOf } from './link.ts'
import { merged, type NextContent, refuseUnfitTemplates } from './merge.ts'
import { externalIdTaken, newOwn, refuseOwn } from './own-fields.ts'
import { type HashPassword, refuseUnfitPassword, savePassword } from './passwords.ts'
import { slugHash } from './retired.ts'
import { searchText, writeSearchText } from './search.ts'
import type { NewBundle } from './shapes.ts'
import { insertVersion, stored } from './stored.ts'
import { NOTHING } from './values.ts'

const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const SLUG_LENGTH = 10
/** The version of a new bundle. */
export const FIRST_VERSION = 1
/**
 * Slugs that would look like the service’s own, or whose bundle another path would hide: of the API (`bulk`, `dry-run`), or of the
 * service once an operator switches short paths on.
 */
const RESERVED = new Set([...OWN_PATHS, 'admin', 'bulk', 'dry-run', 'import', 'inspect', 'new', 'openall', 'support'])

/** Who creates a bundle, and how. */
export interface Creator {
  store: Store
  config: Config
  blockedHosts: Pick<BlockedHosts, 'refuse'>
  caller: Caller
  /** The Service-Client label. */
  client: string | null
  /** The bundle’s source, unless the input has one. */
  source: 'web' | 'api' | 'mcp'
  /** The field with which the caller chooses the new slug. */
  slugField: SlugField
  hashPassword: HashPassword
}

/** The field with which an operation takes a new slug. */
type SlugField = 'slug' | 'newSlug'

interface Creation extends Creator {
  commit: Commit
  /** Withheld if too many mails were sent to the address. */
  claimMail?: ClaimMail
  /** The hash of the password that a copy takes over, unless the input has one. */
  keptPassword?: string | null
}

/**
 * Creates a bundle: owned by the caller’s active subject, or anonymous and claimable.
 * @throws Problem PLAN_LIMIT beyond the cap, exact under concurrency; SLUG_TAKEN; BAD_REQUEST for a field that this
 * caller may not send; FORBIDDEN for a viewer.
 */
export async function create(input: NewBundle, creation: Creation): Promise<CreatedBundle> {
  const { caller, config, store, commit, slugField, keptPassword = null } = creation
  refuseUnfit(input, creation)
  await refuseNewPassword(input, creation)
  const passwordHash = input.password === undefined ? keptPassword : await creation.hashPassword(input.password)
  for (;;) {
    const { answer, writes } = newBundle(input, creation, passwordHash)
    try {
      await commit(writes, answer)
      return answer
    } catch (error) {
      const broken = brokenConstraint(error)
      if (broken?.includes('bundles.slug')) {
        if (input.slug !== undefined) throw slugTaken(slugField)
        continue
      }
      if (broken?.includes('bundles.external_id')) throw externalIdTaken(input.externalId ?? '')
      if (broken?.includes('policy_rules.id')) continue
      if (caller.kind !== 'anonymous' && isHistoryCapError(error))
        throw await historyCapReached(store, caller.subject, config)
      if (!broken?.includes('bundle_versions.bundle_id')) throw error
      throw caller.kind === 'anonymous' ? anonymousCapReached(config) : await capReached(store, caller.subject, config)
    }
  }
}

/**
 * Refuses input that this caller, or nobody here, may send.
 * @throws Problem BAD_REQUEST, FORBIDDEN, SLUG_TAKEN, INVALID_URLS.
 */
export function refuseUnfit(
  input: NewBundle,
  { caller, blockedHosts, slugField }: Pick<Creator, 'caller' | 'blockedHosts' | 'slugField'>,
): void {
  if (caller.kind === 'anonymous' && input.slug !== undefined) {
    throw new Problem('BAD_REQUEST', `${slugField} can be chosen only when signed in: omit it to get one`)
  }
  if (caller.kind === 'anonymous') refuseOwn(input)
  if (caller.kind === 'anonymous' && input.access === 'members') {
    throw new Problem('BAD_REQUEST', 'access "members" needs an account: sign in, or leave it out')
  }
  if (caller.kind !== 'anonymous' && input.email !== undefined) {
    throw new Problem('BAD_REQUEST', 'email is for callers without an account: this bundle will be yours at once')
  }
  if (caller.kind !== 'anonymous') requireRole(caller.role, 'editor')
  if (input.slug !== undefined && RESERVED.has(input.slug)) throw slugTaken(slugField)
  blockedHosts.refuse({ urls: input.urls, resolutionPolicy: input.resolutionPolicy ?? null })
}

/** Refuses a password that is missing, unfit or of no use. @throws Problem BAD_REQUEST. */
export async function refuseNewPassword(
  input: NewBundle,
  { config, keptPassword = null }: Pick<Creation, 'config' | 'keptPassword'>,
): Promise<void> {
  const content = { access: input.access ?? NOTHING.access }
  // A copy that takes over its original’s password begins with one.
  const before = keptPassword === null ? NOTHING : content
  await refuseUnfitPassword({ before, content, password: input.password }, config)
}

/** The content of a new bundle, with ids for its rules. */
export function newContent(input: NewBundle): NextContent {
  const rules = input.resolutionPolicy ? withRuleIds(input.resolutionPolicy, null, () => false) : null
  const content = { ...merged(NOTHING, input), resolutionPolicy: rules?.policy ?? null }
  refuseUnfitTemplates(content)
  return { content, newRuleIds: rules?.newIds ?? [] }
}

function newBundle(
  input: NewBundle,
  { store: { db }, config, caller, client, source, claimMail = 'sent' }: Creation,
  passwordHash: string | null,
) {
  const now = Date.now()
  const slug = input.slug ?? newSlug()
  const isAnonymous = caller.kind === 'anonymous'
  const { content, newRuleIds } = newContent(input)
  const { parts, values } = stored(content)
  const created = {
    ...values,
    slug,
    slugHash: slugHash(slug),
    source: input.source ?? source,
    client,
    ...newOwn(input, client),
    now,
    owner: isAnonymous ? null : subjectIdOf(caller.subject),
    editedBy: isAnonymous ? null : caller.userId,
    addressHash: isAnonymous ? hashOfAddress(caller.address, config) : null,
    searchText: searchText({ ...content, slug }),
  }
  const { maxBundles, maxHistoryBytes } = config
  const shape = { owner: isAnonymous ? null : caller.subject.type, parts, maxBundles, maxHistoryBytes }
  const bundleId = idOf(slug)
  const claim = isAnonymous
    ? newClaim(db, { bundleId, email: input.email ?? null, mail: claimMail, config, now })
    : null
  const writes: Query[] = [
    ...creationWrites(db, shape, created),
    ...recordRuleIds(db, bundleId, newRuleIds),
    ...(claim === null ? [] : [claim.write]),
    ...(passwordHash === null ? [] : [savePassword(db, bundleId, passwordHash)]),
  ]
  const answer: CreatedBundle = { slug, url: linkOf(slug, config), versionNumber: FIRST_VERSION, ...claim?.fields }
  return { answer, writes }
}

type CreationShape = Pick<Config, 'maxBundles' | 'maxHistoryBytes'> & {
  owner: Subject['type'] | null
  parts: SharedName[]
}

const creationWrites = preparedStatements((db, { owner, parts, maxBundles, maxHistoryBytes }: CreationShape) => {
  const subject = owner === null ? null : subjectOf(owner)
  const { slug, slugHash, source, client, externalId, metadata, addressHash, now, editedBy } = params([
    'slug',
    'slugHash',
    'source',
    'client',
    'externalId',
    'metadata',
    'addressHash',
    'now',
    'editedBy',
  ])
  const isWithinCap =
    subject === null
      ? sql`${bundleCountOfAddress(db, addressHash)} <= ${maxBundles.anonymous}`
      : sql`${bundleCountOf(subject)} <= ${capOf(subject, { maxBundles })}`
  return [
    ...(subject === null ? [] : [ensureOwner(subject)]),
    db.insert(bundles).values({
      ...params(NAMES),
      slug,
      slugHash,
      source,
      client,
      externalId,
      metadata,
      addressHash,
      ownerId: subject === null ? null : ownerId(subject),
      createdAt: now,
      updatedAt: now,
    }),
    writeSearchText(eq(bundles.slug, slug), param('searchText')),
    // The cap is checked inside the transaction, counting the new bundle. Beyond the cap this insert gets no bundle id,
    // which violates NOT NULL and rolls the transaction back.
    ...insertVersion(db, parts, {
      bundle: idOf(slug),
      bundleId: sql`CASE WHEN ${isWithinCap} THEN ${idOf(slug)} END`,
      versionNumber: FIRST_VERSION,
      editedBy,
      proposedBy: null,
      editedAt: now,
    }),
    ...(subject === null ? [] : [checkHistoryCap(subject, { maxHistoryBytes })]),
  ]
})

/** The id of the bundle with a slug, as a subquery. */
function idOf(slug: string) {
  return sql<number>`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.slug} = ${slug})`
}

export function slugTaken(field: SlugField): Problem {
  return new Problem('SLUG_TAKEN', `${field} is taken: choose another, or omit it to get one`)
}

function newSlug(): string {
  return Array.from({ length: SLUG_LENGTH }, () => SLUG_ALPHABET[randomInt(SLUG_ALPHABET.length)]).join('')
}
