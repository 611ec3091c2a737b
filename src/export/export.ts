import { and, asc, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import {
  account,
  bundles,
  type Dimension,
  dailyBreakdowns,
  dailyCounters,
  dailyOpens,
  dailyViewers,
  openedLinks,
  user,
} from '../../db/schema.ts'
import { organizationFor } from '../accounts/organizations.ts'
import { omit } from '../bundles/content/content.ts'
import { type StoredBundle, toBundle } from '../bundles/edit/bundles.ts'
import { allVersions, toSnapshot } from '../bundles/edit/history.ts'
import { contentBytes } from '../bundles/edit/stored.ts'
import { healthOf, type LinkHealth, wantsChecks } from '../bundles/links/health.ts'
import { pinsOf } from '../bundles/list/pins.ts'
import { listParts, piecesOf } from '../core/parts.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { object, says } from '../core/shape.ts'
import { iso } from '../core/time.ts'
import { allEvents } from '../events/events.ts'
import { requireRole, type SignedIn, type Subject, signedIn } from '../identity/caller.ts'
import { organizationsOf, roleIn } from '../identity/members.ts'
import { realEmail, sessionsOf } from '../identity/sessions.ts'
import { list as listKeys, toKeyInfo } from '../keys/keys.ts'
import { SWITCHES } from '../mail/switches.ts'
import { type Download, implement, type Site } from '../operations/operation.ts'
import { ownerId, subjectIdOf } from '../plans/owners.ts'
import { toListed, toProposal } from '../proposals/present.ts'
import { allOf, madeBy } from '../proposals/stored.ts'
import { picturePng } from '../start-page/pictures.ts'
import { listOf as webhooksOf } from '../webhooks/webhooks.ts'
import { ExportedData } from './shapes.ts'

/** Bundles whose sizes are read at a time. */
const PAGE = 100

/**
 * All data of a user, of a key’s subject, or of an organisation that the caller administers: profile, memberships, keys and
 * webhooks without their secrets, their pins, the proposals they made, bundles with every version, policy, count and proposal,
 * including deleted ones, and the log of events.
 * @param organizationId undefined for a session’s user, or a key’s own subject.
 * @throws Problem NOT_FOUND if the caller is not a member of the organisation; FORBIDDEN if they are not an admin.
 */
async function exportOf(
  { store, config }: Pick<Service, 'store' | 'config'>,
  caller: SignedIn,
  organizationId: string | undefined,
): Promise<Download> {
  const subject = await subjectOf(store, caller, organizationId)
  const now = Date.now()
  await store.write([exported(subject)])
  const about =
    subject.type === 'user'
      ? await aboutPerson(store, subject.userId)
      : await aboutOrganization(store, caller.userId, subject.organizationId)
  const apiKeys = (await listKeys(store, { subject, role: 'admin' })).map(toKeyInfo)
  const checkLinks = await wantsChecks(store, subject)
  const webhooks = await webhooksOf(store, subject)
  const head = { exportedAt: iso(now), subject, checkLinks, ...about, apiKeys, webhooks }
  return {
    filename: `${subject.type === 'user' ? 'my-data' : 'organisation-data'}-${iso(now).slice(0, 10)}.json`,
    parts: documentOf({ store, config }, subject, head),
  }
}

/** Logs an export; nothing else about it is stored. */
function exported(subject: Subject) {
  const column = sql.raw(subject.type === 'user' ? 'user_id' : 'organization_id')
  const id = subjectIdOf(subject)
  return sql`INSERT INTO happened (${column}, type, target) VALUES (${id}, 'data.exported', ${id})`
}

async function subjectOf(store: Store, caller: SignedIn, organizationId: string | undefined): Promise<Subject> {
  const { userId, subject } = caller
  const chosen: Subject =
    organizationId !== undefined
      ? { type: 'organization', organizationId }
      : caller.kind === 'session'
        ? { type: 'user', userId }
        : subject
  if (chosen.type === 'user') return chosen
  const isReached =
    caller.kind === 'session' || (subject.type === 'organization' && subject.organizationId === chosen.organizationId)
  const role = isReached ? await roleIn(store, userId, chosen.organizationId) : null
  if (role === null) throw new Problem('NOT_FOUND', 'You do not belong to an organisation with this id.')
  requireRole(role, 'admin')
  return chosen
}

/** Streams the document, reading bundles as they are sent; edits made meanwhile may be missing. */
async function* documentOf(
  { store, config }: Pick<Service, 'store' | 'config'>,
  subject: Subject,
  head: object,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"bundles":[`
  let separator = ''
  for await (const bundle of bundlesOf(store, subject)) {
    yield `${separator}\n`
    separator = ','
    const health = await healthOf({ store, config }, bundle)
    yield* bundleParts(store, { ...bundle, owner: subject }, config, health)
  }
  yield* listParts('],"events":', eachOf(allEvents(store, subject)))
  yield '}\n'
}

/** The bundles of a subject, read about a megabyte at a time. */
async function* bundlesOf({ db }: Store, subject: Subject) {
  const sizes = inPages<{ id: number; bytes: number }>(PAGE, (last) =>
    db
      .select({ id: bundles.id, bytes: contentBytes() })
      .from(bundles)
      .where(and(eq(bundles.ownerId, ownerId(subject)), gt(bundles.id, last?.id ?? 0)))
      .orderBy(asc(bundles.id))
      .limit(PAGE),
  )
  for await (const page of sizes) {
    for (const piece of piecesOf(page)) {
      const isAmong = and(
        eq(bundles.ownerId, ownerId(subject)),
        inArray(
          bundles.id,
          piece.map(({ id }) => id),
        ),
      )
      yield* await db.select().from(bundles).where(isAmong).orderBy(asc(bundles.id))
    }
  }
}

/**
 * A bundle, its counts, its versions, newest first, and its proposals.
 * @param bundle with a null owner if it has none.
 * @param health the results of its link checks.
 */
export async function* bundleParts(
  store: Store,
  bundle: Omit<StoredBundle, 'owner'> & { owner: Subject | null },
  site: Site,
  health?: LinkHealth[],
): AsyncGenerator<string> {
  const { id } = bundle
  // The owner is only passed on.
  yield* listParts(
    `${JSON.stringify({ ...toBundle(bundle as StoredBundle, site), health }).slice(0, -1)},"insights":{"counts":`,
    countsOf(store, id),
  )
  yield* listParts(',"viewers":', await viewersOf(store, id))
  yield* listParts(',"breakdowns":', breakdownsOf(store, id))
  yield* listParts(',"opens":', opensOf(store, id))
  yield* listParts('},"versions":', mapped(allVersions(store, id), toSnapshot))
  yield* listParts(',"proposals":', mapped(allOf(store, id), toProposal))
  yield '}'
}

async function* eachOf<Entry>(pages: AsyncIterable<Entry[]>): AsyncGenerator<Entry> {
  for await (const page of pages) yield* page
}

async function* mapped<From, To>(entries: AsyncIterable<From>, to: (entry: From) => To): AsyncGenerator<To> {
  for await (const entry of entries) yield to(entry)
}

const NOT_SHOWN = ['takenEmail', 'takenHint', 'disabledAt'] as const
const profile = omit(
  [...NOT_SHOWN, 'mailProposed', 'mailDecided', 'mailKeyEnds', 'mailLinksBroken'] as const,
  getTableColumns(user),
)

/** A person's data besides keys and bundles. */
async function aboutPerson(store: Store, userId: string) {
  const { db } = store
  const [[person], accounts] = await db.batch([
    db
      .select({ profile: { ...profile, email: realEmail }, mails: SWITCHES })
      .from(user)
      .where(eq(user.id, userId)),
    db
      .select({ provider: account.providerId, createdAt: account.createdAt })
      .from(account)
      .where(eq(account.userId, userId)),
  ])
  const sessions = await sessionsOf(store, userId)
  return {
    ...person,
    signInMethods: accounts.map(({ provider, createdAt }) => ({ provider, createdAt: createdAt.toISOString() })),
    sessions: sessions.map(({ userAgent, createdAt }) => ({ userAgent, createdAt: iso(createdAt) })),
    organizations: (await organizationsOf(store, userId)).map(({ pictureId: _, ...one }) => one),
    pins: await pinsOf(store, userId),
    proposals: (await madeBy(store, userId)).map(toListed),
  }
}

/** An organisation's data besides keys and bundles. */
async function aboutOrganization(store: Store, userId: string, id: string) {
  const found = await organizationFor(store, userId, id)
  if (found === null) throw new Problem('NOT_FOUND', 'You do not belong to an organisation with this id.')
  const { name, handle, color, pictureId, createdAt, members, invitations } = found
  const png = pictureId === null ? null : await picturePng(store, pictureId)
  const picture = png?.toString('base64') ?? null
  return {
    organization: { id, name, handle, color, picture, createdAt: iso(createdAt) },
    members: members.map(({ since, id: _, ...member }) => ({ ...member, since: iso(since) })),
    invitations: invitations.map(({ expiresAt, id: _, ...invited }) => ({ ...invited, expiresAt: iso(expiresAt) })),
  }
}

/** Counts read at a time: there is one for each day and rule, and for each day and value. */
const COUNTS = 4000

/** Views and clicks of a bundle by day and rule. */
async function* countsOf({ db }: Store, bundleId: number) {
  const { day, ruleId, views, openAllClicks } = dailyCounters
  const pages = inPages<{ day: string; ruleId: string; views: number; openAllClicks: number }>(COUNTS, (last) =>
    db
      .select({ day, ruleId, views, openAllClicks })
      .from(dailyCounters)
      .where(
        and(
          eq(dailyCounters.bundleId, bundleId),
          last === undefined ? undefined : sql`(${day}, ${ruleId}) > (${last.day}, ${last.ruleId})`,
        ),
      )
      .orderBy(day, ruleId)
      .limit(COUNTS),
  )
  for await (const page of pages) {
    for (const { ruleId, ...count } of page) yield { ...count, ruleId: ruleId === '' ? null : ruleId }
  }
}

/** The viewers of a bundle by day. */
function viewersOf({ db }: Store, bundleId: number) {
  return db
    .select({ day: dailyViewers.day, viewers: dailyViewers.viewers })
    .from(dailyViewers)
    .where(eq(dailyViewers.bundleId, bundleId))
    .orderBy(dailyViewers.day)
}

/** Views of a bundle by day and value. */
async function* breakdownsOf({ db }: Store, bundleId: number) {
  const { day, dimension, value, views } = dailyBreakdowns
  type Row = { day: string; dimension: Dimension; value: string; views: number }
  const pages = inPages<Row>(COUNTS, (last) =>
    db
      .select({ day, dimension, value, views })
      .from(dailyBreakdowns)
      .where(
        and(
          eq(dailyBreakdowns.bundleId, bundleId),
          last === undefined
            ? undefined
            : sql`(${day}, ${dimension}, ${value}) > (${last.day}, ${last.dimension}, ${last.value})`,
        ),
      )
      .orderBy(day, dimension, value)
      .limit(COUNTS),
  )
  for await (const page of pages) {
    for (const { value, ...row } of page) yield { ...row, value: value === '' ? null : value }
  }
}

/** How often each link of a bundle was opened, by day. */
async function* opensOf({ db }: Store, bundleId: number) {
  const { day, link, opens } = dailyOpens
  type Row = { day: string; link: Buffer; url: string; opens: number }
  const pages = inPages<Row>(COUNTS, (last) =>
    db
      .select({ day, link, url: openedLinks.url, opens })
      .from(dailyOpens)
      .innerJoin(openedLinks, and(eq(openedLinks.bundleId, dailyOpens.bundleId), eq(openedLinks.link, link)))
      .where(
        and(
          eq(dailyOpens.bundleId, bundleId),
          last === undefined ? undefined : sql`(${day}, ${link}) > (${last.day}, ${last.link})`,
        ),
      )
      .orderBy(day, link)
      .limit(COUNTS),
  )
  for await (const page of pages) {
    for (const { link: _, ...row } of page) yield row
  }
}

/** Reads page after page, each after the last row of the one before it. */
async function* inPages<Row>(size: number, read: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const page = await read(last)
    yield page
    if (page.length < size) return
    last = page.at(-1)
  }
}

export const exportData = implement('export_data', {
  summary: 'Download all data stored about you or an organisation, as one JSON file',
  description:
    'Returns a file with all data of a person or an organisation: profile or members, keys without their secrets, and ' +
    'every bundle, including deleted ones, with its versions, policy, counts and proposals. A session gets its user’s data, a key ' +
    'that of the subject it acts for; `organizationId` selects an organisation that you are an admin of.',
  input: object({ 'organizationId?': says('0 < string <= 64', 'Identifies the organisation.', 'o_27pd') }),
  output: ExportedData,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  download: (whole: Download) => whole,
  run: ({ organizationId }, { service, caller }) => exportOf(service, signedIn(caller), organizationId),
})
