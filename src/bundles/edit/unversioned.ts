import { type } from 'arktype'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../../db/client.ts'
import { aliases, bundlePasswords, bundles, type Content, retiredSlugs } from '../../../db/schema.ts'
import type { Config } from '../../config/config.ts'
import type { Reason } from '../../core/issue.ts'
import { OWN_PATHS } from '../../core/launcher-link.ts'
import { invalid, Problem } from '../../core/problem.ts'
import { routes } from '../../core/routes.ts'
import { fingerprint } from '../../core/secrets.ts'
import { refuse, refusing, says } from '../../core/shape.ts'
import { line, lines, withText } from '../../core/text-shapes.ts'
import type { Caller } from '../../identity/caller.ts'
import { unfitPassword } from '../../identity/password-rules.ts'
import { hashPassword, type PasswordCost, withHashQueue } from '../../identity/passwords.ts'
import { widerNetwork } from '../../limits/rate-limits.ts'
import { BOUNDS } from '../content/content.ts'
import { OWN_DOCS } from '../content/field-docs.ts'
import { optional } from '../links/link-shapes.ts'

// The slugs that lead to a bundle: its own and its aliases, in one namespace. Triggers keep both unique.

const SLUG = /^[a-z0-9](-?[a-z0-9])*$/

/** A word for an address. Overlong ones are refused without matching, because the pattern is slow on them. */
export const slugOf = (max: number) =>
  type('string').narrow(
    refusing({ minLength: 3, maxLength: max, pattern: SLUG.source }, (slug: string) => {
      if (slug.length <= max && !SLUG.test(slug)) return { code: 'not_a_slug' }
      return slug.length >= 3 && slug.length <= max ? null : { code: 'length', min: 3, max }
    }),
  )

/** A slug chosen by a signed-in caller. */
export const ChosenSlug = slugOf(64)

/**
 * Slugs that look like the service’s own paths, or whose bundle another path would hide: a path of the API (`bulk`, `dry-run`),
 * or any once an operator switches short paths on.
 */
const RESERVED = new Set([...OWN_PATHS, 'admin', 'bulk', 'dry-run', 'import', 'inspect', 'openall', 'support'])

/** The aliases of a bundle as stored: each with its fingerprint, which outlives the bundle. */
type StoredAliases = Record<string, string>

/** Aliases as stored; null for none. */
function stored(slugs: readonly string[]): StoredAliases | null {
  const entries = [...new Set(slugs)].sort().map((slug) => [slug, slugHash(slug)] as const)
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** The slugs of stored aliases, in alphabetical order. */
export function aliasesIn(stored: StoredAliases | null): string[] {
  return Object.keys(stored ?? {}).sort()
}

/**
 * The aliases of a bundle after a rename, including its former slug.
 * @throws Problem BAD_REQUEST if they would be too many.
 */
export function aliasesAfterRename({ slug, aliases }: { slug: string; aliases: StoredAliases | null }, to: string) {
  const after = [...aliasesIn(aliases).filter((one) => one !== to), slug]
  if (after.length <= BOUNDS.aliases) return stored(after)
  throw new Problem(
    'BAD_REQUEST',
    `this bundle has ${BOUNDS.aliases} aliases, and its slug so far would be one more: remove one of aliases first with update_bundle`,
    {
      userMessage: `This bundle has ${BOUNDS.aliases} other addresses, and the one of now would be one more. Remove one of them first.`,
    },
  )
}

/** The input field for a new slug. */
export type SlugField = 'slug' | 'newSlug'

/** The error for a slug that a bundle has or had. */
export function slugTaken(field: SlugField): Problem {
  return new Problem('SLUG_TAKEN', `${field} is taken: choose another, or omit it to get one`)
}

/** The error for a new slug of a bundle that another bundle has or had, or that is reserved. */
export function newSlugTaken(): Problem {
  return new Problem('SLUG_TAKEN', 'newSlug is taken: choose another')
}

/** Whether a slug is reserved: nobody may choose it. */
export function isReserved(slug: string): boolean {
  return RESERVED.has(slug)
}

/** Refuses reserved aliases. @throws Problem SLUG_TAKEN. */
export function refuseReserved(slugs: readonly string[]): void {
  const reserved = slugs.find(isReserved)
  if (reserved !== undefined) throw aliasTaken(reserved)
}

/**
 * Refuses aliases that are taken now.
 * @param bundleId the bundle whose own aliases do not count as taken; null for none.
 * @throws Problem SLUG_TAKEN.
 */
export async function refuseTakenAliases({ db }: Pick<Store, 'db'>, slugs: readonly string[], bundleId: number | null) {
  refuseReserved(slugs)
  const taken = await firstTaken(db, slugs, bundleId)
  if (taken !== undefined) throw aliasTaken(taken)
}

/** The error after the store has refused one of these aliases. */
export async function takenAlias(
  { db }: Pick<Store, 'db'>,
  slugs: readonly string[],
  bundleId: number | null,
): Promise<Problem> {
  return aliasTaken((await firstTaken(db, slugs, bundleId)) ?? slugs[0] ?? '')
}

async function firstTaken(db: Store['db'], slugs: readonly string[], bundleId: number | null) {
  for (const slug of slugs) if (await isTaken(db, slug, bundleId)) return slug
  return undefined
}

/** Whether a slug is taken: a bundle has or had it, not counting the aliases of the given one. */
export async function isTaken(db: Store['db'], slug: string, bundleId: number | null): Promise<boolean> {
  const [held, other, retired] = await db.batch([
    db.select({ id: bundles.id }).from(bundles).where(eq(bundles.slug, slug)),
    db.select({ id: aliases.bundleId }).from(aliases).where(eq(aliases.slug, slug)),
    db
      .select()
      .from(retiredSlugs)
      .where(eq(retiredSlugs.slugHash, slugHash(slug))),
  ])
  return held.length + retired.length > 0 || other.some(({ id }) => id !== bundleId)
}

const OF_ALIASES = 'aliases: '

/** Whether a SLUG_TAKEN error is about an alias. */
export function isOfAliases({ code, message }: Problem): boolean {
  return code === 'SLUG_TAKEN' && message.startsWith(OF_ALIASES)
}

/** The error for an alias that another bundle has or had. */
function aliasTaken(slug: string): Problem {
  return new Problem('SLUG_TAKEN', `${OF_ALIASES}${slug} is taken: choose another, or leave it out`, {
    userMessage: `${routes.launcher.page.href({ slug })} is taken. Choose another.`,
  })
}

/**
 * What remains of the slug of an erased bundle, so that nobody can take it again: its fingerprint after a character that no
 * slug has.
 */
export function slugHash(slug: string): string {
  return `#${fingerprint(slug)}`
}

// Fields for a bundle’s owner alone. Versions, viewers and copies do not get them.

/** A bundle’s name in another system of its owner. */
export const ExternalId = line(BOUNDS.externalId).narrow(withText)

const KEY = /^[A-Za-z0-9_.-]{1,40}$/
/** A key with a special meaning in JavaScript, so that it would get lost. */
const NO_KEY = '__proto__'
/** The key that holds the Service-Client label. */
const LABEL = 'client'

const Metadata = type({ '[string]': lines(BOUNDS.metadataValue) })
  .narrow(
    refusing({ maxProperties: BOUNDS.metadataKeys, propertyNames: { pattern: KEY.source } }, (sent: object) =>
      // Answers include the label, so callers may send it back with the other keys.
      Object.keys(sent).filter((key) => key !== LABEL).length > BOUNDS.metadataKeys
        ? { code: 'too_many', limit: BOUNDS.metadataKeys, of: 'entry' }
        : null,
    ),
  )
  .narrow((sent, ctx) => {
    const unfit = Object.keys(sent).find((key) => !KEY.test(key) || key === NO_KEY)
    return unfit === undefined || refuse(ctx, { code: 'not_a_metadata_key' }, unfit)
  })

/** The unversioned fields as callers send them; null for none. */
export const unversionedFields = optional({
  externalId: says(ExternalId.or('null'), ...OWN_DOCS.externalId),
  metadata: says(Metadata.or('null'), ...OWN_DOCS.metadata),
  aliases: says(ChosenSlug.array().atMostLength(BOUNDS.aliases), ...OWN_DOCS.aliases),
})

/** The unversioned fields as sent, after validation. */
export interface SentUnversioned {
  externalId?: string | null | undefined
  metadata?: Record<string, string> | null | undefined
  aliases?: readonly string[] | undefined
}

/** The unversioned fields as stored: without the label, which has its own column; null where nothing is left. */
export interface UnversionedFields {
  externalId: string | null
  metadata: Record<string, string> | null
  aliases: StoredAliases | null
}

/** Refuses unversioned fields from a caller without an account. @throws Problem BAD_REQUEST. */
export function refuseUnversioned({ externalId = null, metadata = null, aliases = [] }: SentUnversioned): void {
  const sent = Object.entries({ externalId, metadata, aliases: aliases.length === 0 ? null : aliases }).flatMap(
    ([name, value]) => (value === null ? [] : [name]),
  )
  if (sent.length > 0) throw invalid(sent.map((name) => ({ path: [name], reason: { code: 'needs_an_account' } })))
}

/** The unversioned fields of a new bundle. @throws Problem BAD_REQUEST for a label that is not the bundle’s. */
export function newUnversioned(sent: SentUnversioned, client: string | null): UnversionedFields {
  return unversionedAfter({ externalId: null, metadata: null, aliases: null, client }, sent)
}

/**
 * The unversioned fields after an edit, each replaced as a whole.
 * @param before the bundle’s fields, with its label.
 * @throws Problem BAD_REQUEST for a label that is not the bundle’s.
 */
export function unversionedAfter(
  before: UnversionedFields & { client: string | null },
  sent: SentUnversioned,
): UnversionedFields {
  const { externalId = before.externalId } = sent
  const aliases = sent.aliases === undefined ? before.aliases : stored(sent.aliases)
  if (sent.metadata === undefined) return { externalId, metadata: before.metadata, aliases }
  const { [LABEL]: label, ...metadata } = sent.metadata ?? {}
  if (label !== undefined && label !== before.client) {
    throw invalid([{ path: ['metadata', LABEL], reason: { code: 'reserved_for_the_label' } }])
  }
  return { externalId, metadata: Object.keys(metadata).length === 0 ? null : metadata, aliases }
}

/** Metadata as the API shows it: with the label of the client that created the bundle. */
export function toMetadata({ client, metadata }: { client: string | null; metadata: UnversionedFields['metadata'] }) {
  return client === null ? metadata : { ...metadata, [LABEL]: client }
}

/** The error for an external id that another bundle of the owner has. */
export function externalIdTaken(externalId: string): Problem {
  return new Problem(
    'EXTERNAL_ID_TAKEN',
    `another bundle of this owner has the externalId ${JSON.stringify(externalId)}: update it as ext:${externalId}, or give one of them another`,
    { userMessage: 'Another of your bundles has this ID. Choose another, or change that one first.' },
  )
}

// Passwords of bundles. Only their hashes are stored, outside the bundle’s row and its versions.

const REASONS: Record<NonNullable<Awaited<ReturnType<typeof unfitPassword>>>['code'], Reason> = {
  PASSWORD_TOO_SHORT: { code: 'password_too_short', min: 8 },
  PASSWORD_TOO_LONG: { code: 'password_too_long', max: BOUNDS.password },
  PASSWORD_TOO_COMMON: { code: 'password_too_common' },
  PASSWORD_IS_PERSONAL: { code: 'password_is_the_service' },
}

/** The parts of an edit that concern passwords. */
interface Protected {
  before: Pick<Content, 'access'>
  content: Pick<Content, 'access'>
  /** The password as sent; never stored. */
  password: string | undefined
}

/**
 * Refuses a password that is missing, unfit or unused.
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

/** A password hasher for a caller; it shares a queue with sign-ins. */
export function hashingFor(caller: Caller, cost: PasswordCost | undefined): HashPassword {
  const who = caller.kind === 'anonymous' ? widerNetwork(caller.address) : `user ${caller.userId}`
  return (password) => withHashQueue(who, 1, () => hashPassword(password, cost))
}
