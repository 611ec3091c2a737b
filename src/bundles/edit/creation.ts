import { randomInt } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../../db/client.ts'
import { param, params, preparedStatements } from '../../../db/prepared.ts'
import { bundles, type SharedName } from '../../../db/schema.ts'
import type { BlockedHosts } from '../../abuse/hosts.ts'
import type { Config } from '../../config/config.ts'
import { Problem } from '../../core/problem.ts'
import { type Caller, requireRole, type Subject } from '../../identity/caller.ts'
import type { Commit } from '../../operations/idempotency.ts'
import type { Context } from '../../operations/operation.ts'
import {
  anonymousCapReached,
  bundleCountOf,
  bundleCountOfAddress,
  capOf,
  capReached,
  ensureOwner,
  hashOfAddress,
  ownerId,
  subjectIdOf,
  subjectOf,
} from '../../plans/owners.ts'
import { refuseEmptiedRules, withFittingRules } from '../../policies/base.ts'
import { recordRuleIds, withRuleIds } from '../../policies/rule-ids.ts'
import { type ClaimMail, newClaim } from '../claims/claims.ts'
import type { CreatedBundle } from '../content/answers.ts'
import { BOUNDS, NAMES, NOTHING } from '../content/content.ts'
import type { NewBundle } from '../content/shapes.ts'
import { linkOf } from '../links/link-fields.ts'
import { searchText, writeSearchText } from '../list/search.ts'
import { type Declared, declaredBy, refuseUnfitTemplates } from '../variables/placeholders.ts'
import { merged, type NextContent } from './edit.ts'
import { checkHistoryCap, historyCapReached, insertVersion, isHistoryCapError, stored } from './stored.ts'
import {
  aliasesIn,
  externalIdTaken,
  type HashPassword,
  hashingFor,
  isReserved,
  newUnversioned,
  refuseReserved,
  refuseUnfitPassword,
  refuseUnversioned,
  type SlugField,
  savePassword,
  slugHash,
  slugTaken,
  takenAlias,
} from './unversioned.ts'

export const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
export const SLUG_LENGTH = 10
/** The version of a new bundle. */
export const FIRST_VERSION = 1
/** The context of a creation: who creates a bundle, and how. */
export interface Creator {
  store: Store
  config: Config
  blockedHosts: Pick<BlockedHosts, 'refuse'>
  caller: Caller
  /** The Service-Client label. */
  client: string | null
  /** The bundle’s source if the input has none. */
  source: 'web' | 'api' | 'mcp'
  /** The field with which the caller chooses the new slug. */
  slugField: SlugField
  hashPassword: HashPassword
}

interface Creation extends Creator {
  commit: Commit
  /** Whether the claim link is mailed, and if not, why; by default `sent`. */
  claimMail?: ClaimMail
  /** The password hash that a copy takes over if the input has no password. */
  keptPassword?: string | null
  /** Whether the rules are those of the original of a copy: one that leaves no tab stays, and is passed over. */
  areRulesKept?: boolean
}

/**
 * Creates a bundle: owned by the caller’s active subject, or ownerless and claimable.
 * @throws Problem PLAN_LIMIT beyond the cap, exact under concurrency; SLUG_TAKEN; EXTERNAL_ID_TAKEN; INVALID_URLS;
 * BAD_REQUEST, also for a field that this caller may not send; FORBIDDEN for a viewer.
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
      if (broken?.includes('aliases.slug')) throw await takenAlias(store, input.aliases ?? [], null)
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
 * Refuses input that this caller may not send, or nobody may.
 * @throws Problem BAD_REQUEST, FORBIDDEN, SLUG_TAKEN, INVALID_URLS.
 */
export function refuseUnfit(
  input: NewBundle,
  { caller, blockedHosts, slugField }: Pick<Creator, 'caller' | 'blockedHosts' | 'slugField'>,
): void {
  if (caller.kind === 'anonymous' && input.slug !== undefined) {
    throw new Problem('BAD_REQUEST', `${slugField} can be chosen only when signed in: omit it to get one`)
  }
  if (caller.kind === 'anonymous') refuseUnversioned(input)
  if (caller.kind === 'anonymous' && input.access === 'members') {
    throw new Problem('BAD_REQUEST', 'access "members" needs an account: sign in, or leave it out')
  }
  if (caller.kind !== 'anonymous' && input.email !== undefined) {
    throw new Problem('BAD_REQUEST', 'email is for callers without an account: this bundle will be yours at once')
  }
  if (caller.kind !== 'anonymous') requireRole(caller.role, 'editor')
  if (input.slug !== undefined && isReserved(input.slug)) throw slugTaken(slugField)
  refuseReserved(input.aliases ?? [])
  blockedHosts.refuse({ urls: input.urls, resolutionPolicy: input.resolutionPolicy ?? null })
}

/** Refuses a new bundle whose password is missing, unfit or unused. @throws Problem BAD_REQUEST. */
export async function refuseNewPassword(
  input: NewBundle,
  { config, keptPassword = null }: Pick<Creation, 'config' | 'keptPassword'>,
): Promise<void> {
  const content = { access: input.access ?? NOTHING.access }
  // A copy that takes over its original’s password has one from the start.
  const before = keptPassword === null ? NOTHING : content
  await refuseUnfitPassword({ before, content, password: input.password }, config)
}

/** The content of a new bundle, with ids for its rules. If the input has no `variables`, its links declare them. */
export function newContent(input: NewBundle, areRulesKept = false): NextContent & { declared: Declared | null } {
  const rules = input.resolutionPolicy ? withRuleIds(input.resolutionPolicy, null, () => false) : null
  const sent = { ...merged(NOTHING, input), resolutionPolicy: rules?.policy ?? null }
  const declared = input.variables === undefined ? declaredBy(sent) : null
  const content = withFittingRules({ ...sent, variables: declared?.variables ?? sent.variables })
  refuseUnfitTemplates(content)
  if (content.resolutionPolicy !== null && !areRulesKept) refuseEmptiedRules(content.resolutionPolicy, content.urls)
  return { content, newRuleIds: rules?.newIds ?? [], declared }
}

function newBundle(
  input: NewBundle,
  { store: { db }, config, caller, client, source, claimMail = 'sent', areRulesKept }: Creation,
  passwordHash: string | null,
) {
  const now = Date.now()
  const slug = input.slug ?? newSlug()
  const isAnonymous = caller.kind === 'anonymous'
  const { content, newRuleIds, declared } = newContent(input, areRulesKept)
  const own = newUnversioned(input, client)
  const { parts, values } = stored(content, own)
  const created = {
    ...values,
    slug,
    slugHash: slugHash(slug),
    source: input.source ?? source,
    client,
    ...own,
    now,
    owner: isAnonymous ? null : subjectIdOf(caller.subject),
    editedBy: isAnonymous ? null : caller.userId,
    addressHash: isAnonymous ? hashOfAddress(caller.address, config) : null,
    searchText: searchText({ ...content, slug, aliases: aliasesIn(own.aliases) }),
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
  const answer: CreatedBundle = {
    slug,
    url: linkOf(slug, config),
    versionNumber: FIRST_VERSION,
    ...declaredFields(declared),
    ...claim?.fields,
  }
  return { answer, writes }
}

/** The fields of an answer about variables that links declared. */
function declaredFields(declared: Declared | null): Pick<CreatedBundle, 'variables' | 'notes'> {
  if (declared === null || declared.variables.length + declared.left.length === 0) return {}
  const { variables, left } = declared
  const notes = [
    ...variables.map(({ name }) => `{${name}} is a variable: send variables: [] to keep it as text`),
    ...left.map((name) => `{${name}} stays text: a bundle has at most ${BOUNDS.variables} variables`),
  ]
  return { variables, notes }
}

type CreationShape = Pick<Config, 'maxBundles' | 'maxHistoryBytes'> & {
  owner: Subject['type'] | null
  parts: SharedName[]
}

const creationWrites = preparedStatements((db, { owner, parts, maxBundles, maxHistoryBytes }: CreationShape) => {
  const subject = owner === null ? null : subjectOf(owner)
  const { slug, slugHash, source, client, externalId, metadata, aliases, bytes, addressHash, now, editedBy } = params([
    'slug',
    'slugHash',
    'source',
    'client',
    'externalId',
    'metadata',
    'aliases',
    'bytes',
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
      aliases,
      bytes,
      addressHash,
      ownerId: subject === null ? null : ownerId(subject),
      createdAt: now,
      updatedAt: now,
    }),
    writeSearchText(eq(bundles.slug, slug), param('searchText')),
    // The cap is checked inside the transaction, the new bundle included. Beyond the cap, this insert gets no bundle id, which
    // violates NOT NULL and rolls the transaction back.
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

function newSlug(): string {
  return Array.from({ length: SLUG_LENGTH }, () => SLUG_ALPHABET[randomInt(SLUG_ALPHABET.length)]).join('')
}

/** The parameters for creating, or for a dry run of it, from an operation’s context. */
export function creating(context: Context, slugField: Creator['slugField']): Creator {
  const { service, caller, client, source } = context
  const { store, config, blockedHosts, passwordCost } = service
  const hashPassword = hashingFor(caller, passwordCost)
  return { store, config, blockedHosts, caller, client, source, slugField, hashPassword }
}
