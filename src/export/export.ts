import { type } from 'arktype'
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles, DIMENSIONS } from '../../db/schema.ts'
import { BundleWithHealth, VersionList } from '../bundles/answers.ts'
import { healthOf, type LinkHealth, wantsChecks } from '../bundles/health.ts'
import { allVersions } from '../bundles/history.ts'
import { toBundle, toSnapshot } from '../bundles/present.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import { contentBytes } from '../bundles/stored.ts'
import { lazy } from '../core/lazy.ts'
import { listParts, piecesOf } from '../core/parts.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { Time } from '../core/shape.ts'
import { iso } from '../core/time.ts'
import { allEvents } from '../events/events.ts'
import { EventList } from '../events/shapes.ts'
import { SubjectShape } from '../identity/answers.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { roleIn } from '../identity/members.ts'
import { ROLES, requireRole } from '../identity/roles.ts'
import { list as listKeys, toKeyInfo } from '../keys/keys.ts'
import { KeyList } from '../keys/shapes.ts'
import type { Download, Site } from '../operations/operation.ts'
import { ownerId, subjectIdOf } from '../plans/owners.ts'
import { Proposal, ProposalList } from '../proposals/answers.ts'
import { toProposal } from '../proposals/present.ts'
import { allOf } from '../proposals/stored.ts'
import { WebhookList } from '../webhooks/shapes.ts'
import { listOf as webhooksOf } from '../webhooks/webhooks.ts'
import { aboutOrganization, aboutPerson } from './about.ts'
import { breakdownsOf, countsOf, inPages, opensOf, viewersOf } from './counts.ts'

/** Bundles of which sizes are read at a time. */
const PAGE = 100

const insights = lazy(() =>
  type({
    counts: type({
      day: 'string',
      views: 'number.integer >= 0',
      openAllClicks: 'number.integer >= 0',
      ruleId: 'string | null',
      '+': 'reject',
    }).array(),
    viewers: type({ day: 'string', viewers: 'number.integer >= 0', '+': 'reject' }).array(),
    breakdowns: type({
      day: 'string',
      dimension: type.enumerated(...DIMENSIONS),
      value: 'string | null',
      views: 'number.integer >= 1',
      '+': 'reject',
    }).array(),
    opens: type({ day: 'string', url: 'string', opens: 'number.integer >= 1', '+': 'reject' }).array(),
    '+': 'reject',
  }),
)

/** The answer of GET /api/me/export, of a user or an organisation. */
export const ExportedData = lazy(() =>
  type({
    exportedAt: Time(),
    subject: SubjectShape(),
    'profile?': type({
      id: 'string',
      name: 'string',
      email: 'string',
      emailVerified: 'boolean',
      image: 'string | null',
      createdAt: Time(),
      updatedAt: Time(),
      '+': 'reject',
    }),
    'mails?': type({
      proposed: 'boolean',
      decided: 'boolean',
      keyEnds: 'boolean',
      linksBroken: 'boolean',
      '+': 'reject',
    }),
    'signInMethods?': type({ provider: 'string', createdAt: Time(), '+': 'reject' }).array(),
    'sessions?': type({ userAgent: 'string | null', createdAt: Time(), '+': 'reject' }).array(),
    'organizations?': type({ id: 'string', name: 'string', role: type.enumerated(...ROLES), '+': 'reject' }).array(),
    'organization?': type({ id: 'string', name: 'string', createdAt: Time(), '+': 'reject' }),
    'members?': type({
      userId: 'string',
      name: 'string',
      email: 'string',
      role: type.enumerated(...ROLES),
      since: Time(),
      '+': 'reject',
    }).array(),
    'invitations?': type({
      email: 'string',
      role: type.enumerated(...ROLES),
      expiresAt: Time(),
      '+': 'reject',
    }).array(),
    'pins?': type({ slug: 'string', pinnedAt: Time(), '+': 'reject' }).array(),
    'proposals?': ProposalList().get('proposals'),
    apiKeys: KeyList().get('apiKeys'),
    webhooks: WebhookList().get('webhooks'),
    bundles: BundleWithHealth()
      .merge({
        'deletedAt?': Time(),
        insights: insights(),
        versions: VersionList().get('versions'),
        proposals: Proposal().array(),
      })
      .array(),
    checkLinks: 'boolean',
    events: EventList().get('events'),
    '+': 'reject',
  }),
)

/**
 * All data of a user, of a key’s subject, or of an organisation that the caller administers: profile,
 * memberships, keys and webhooks without their secrets, their pins, the proposals they made, bundles with every version, policy, count and
 * proposal, including deleted ones, and the log of what happened.
 * @param organizationId undefined: a session’s user, or a key’s own subject.
 * @throws Problem NOT_FOUND if the caller is not a member of the organisation; FORBIDDEN if they are not an admin.
 */
export async function exportOf(
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

/** Logs an export: nothing else of it is stored. */
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
 * @param bundle its owner is null if it has none.
 * @param health what is known of its links.
 */
export async function* bundleParts(
  store: Store,
  bundle: Omit<StoredBundle, 'owner'> & { owner: Subject | null },
  site: Site,
  health?: LinkHealth[],
): AsyncGenerator<string> {
  const { id } = bundle
  // Its owner is only passed on.
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
