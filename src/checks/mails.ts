import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundleLinks, bundles, checkedLinks, member, owners, user } from '../../db/schema.ts'
import { IS_BROKEN } from '../bundles/links/health.ts'
import type { Config } from '../config/config.ts'
import { routes } from '../core/routes.ts'
import { inLongReadSlot } from '../core/scheduling.ts'
import { count } from '../core/words.ts'
import { letterheadOfAll, under } from '../mail/letterhead.ts'
import { quoted } from '../mail/mailer.ts'
import { type Mailing, noted } from '../mail/notices.ts'
import type { Mail } from '../mail/smtp.ts'
import { SWITCHES, unsubscribeLink } from '../mail/switches.ts'

/** The delay of a mail, so that it includes links that break at about the same time. */
const WAIT_MS = 3_600_000
/** How many bundles a mail names. */
const NAMED = 20

type Site = Pick<Config, 'origin' | 'name' | 'secret'>

/** Notes that a link of an owner is broken, for everybody who may edit the owner's bundles, if `isNews` holds. */
export function noteBroken(mailer: Mailing['mailer'], ownerId: number, isNews: SQL, now: number): Query[] {
  const editors = sql`SELECT ${owners.userId} FROM ${owners} WHERE ${owners.id} = ${ownerId}
    UNION ALL SELECT ${member.userId} FROM ${owners} JOIN ${member} ON ${member.organizationId} = ${owners.organizationId}
    WHERE ${owners.id} = ${ownerId} AND ${member.role} <> 'viewer'`
  const cause = { kind: 'linksBroken', bundleId: null, ids: sql`'[]'`, most: 0, dueAt: now + WAIT_MS } as const
  return noted(mailer, cause, sql`${user.id} IN (${editors}) AND ${isNews}`)
}

/** The mail about all bundles that a person may edit; null if no link is broken or they no longer want such mails. */
export async function mailFor(store: Store, userId: string, site: Site): Promise<Mail | null> {
  const { db, readLong } = store
  const [reader] = await db
    .select({ to: user.email })
    .from(user)
    .where(and(eq(user.id, userId), user.emailVerified, isNull(user.disabledAt), SWITCHES.linksBroken))
  if (reader === undefined) return null
  const isEditors = sql`(${owners.userId} = ${userId} OR ${owners.organizationId} IN (SELECT ${member.organizationId} FROM ${member} WHERE ${member.userId} = ${userId} AND ${member.role} <> 'viewer'))`
  const some = db
    .select({
      ownerId: owners.id,
      slug: bundles.slug,
      title: bundles.title,
      links: sql<number>`count(*)`.as('links'),
    })
    .from(owners)
    .innerJoin(checkedLinks, and(eq(checkedLinks.ownerId, owners.id), IS_BROKEN))
    .innerJoin(bundleLinks, eq(bundleLinks.linkId, checkedLinks.id))
    .innerJoin(bundles, and(eq(bundles.id, bundleLinks.bundleId), isNull(bundles.deletedAt)))
    .where(and(isEditors, owners.checkLinks))
    .groupBy(bundles.id)
    .orderBy(asc(bundles.id))
    .limit(NAMED + 1)
    .as('some')
  // A long read, because there may be a hundred thousand broken links.
  const found = sql`SELECT json_group_array(json_object('ownerId', id, 'slug', slug, 'title', title, 'links', links)) FROM ${some}`
  const broken = JSON.parse(String((await inLongReadSlot(userId, () => readLong(found))) ?? '[]')) as Told['broken']
  if (broken.length === 0) return null
  return under(await letterheadOfAll(store, broken), mailOf({ userId, to: reader.to, broken }, site), site)
}

interface Told {
  userId: string
  to: string
  /** The bundles that a mail names, and one more if there are more; at least one. */
  broken: readonly { ownerId: number; slug: string; title: string | null; links: number }[]
}

function mailOf({ userId, to, broken }: Told, site: Site): Mail {
  const unsubscribe = unsubscribeLink(site, { userId, kind: 'linksBroken' })
  const each = broken
    .slice(0, NAMED)
    .flatMap(({ slug, title, links }) => [
      `${count(links, 'broken link')} in`,
      quoted(title ?? slug),
      `${site.origin}${routes.bundle.edit.href({ slug })}`,
    ])
  const text = [
    'Some links in bundles that you can edit are broken: three checks over three days found nothing there.',
    ...each,
    ...(broken.length > NAMED ? ['There are more:'] : ['All of them:']),
    `${site.origin}${routes.bundles.list.href()}?health=broken`,
    `You get this on ${site.name}, at most once a week. To stop these emails:\n\n${unsubscribe}`,
  ].join('\n\n')
  return { to, subject: `Links of your bundles on ${site.name} are broken`, text, unsubscribe }
}
