import { and, asc, eq, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundleLinks, bundles, checkedLinks, linkMails, member, owners, user } from '../../db/schema.ts'
import { IS_BROKEN } from '../bundles/health.ts'
import type { Config } from '../config/config.ts'
import { count } from '../core/words.ts'
import { type Mailer, quoted } from '../mail/mailer.ts'
import type { Mail } from '../mail/smtp.ts'
import { SWITCHES, unsubscribeLink } from '../mail/switches.ts'
import { inLongReadSlot } from '../operations/read-slots.ts'

/** A person gets one mail in so long, */
const MAIL_EVERY_MS = 7 * 86_400_000
/** and the first so late that it tells of what breaks at the same time. */
const WAIT_MS = 3_600_000
/** People mailed in one go. */
const AT_ONCE = 50
/** Bundles that a mail names. */
const NAMED = 20

type Site = Pick<Config, 'origin' | 'name' | 'secret'>

/** Notes that a link of an owner's is broken, for everybody who may edit its bundles, where `isNews` holds. */
export function noteBroken(mailer: Pick<Mailer, 'isConfigured'>, ownerId: number, isNews: SQL, now: number): Query[] {
  if (!mailer.isConfigured) return []
  const editors = sql`SELECT ${owners.userId} FROM ${owners} WHERE ${owners.id} = ${ownerId}
    UNION ALL SELECT ${member.userId} FROM ${owners} JOIN ${member} ON ${member.organizationId} = ${owners.organizationId}
    WHERE ${owners.id} = ${ownerId} AND ${member.role} <> 'viewer'`
  const isWanted = sql`${user.emailVerified} AND ${user.disabledAt} IS NULL AND ${SWITCHES.linksBroken}`
  return [
    sql`INSERT INTO ${linkMails} (user_id, due_at)
      SELECT ${user.id}, ${now + WAIT_MS} FROM ${user} WHERE ${user.id} IN (${editors}) AND ${isWanted} AND ${isNews}
      ON CONFLICT (user_id) DO UPDATE SET
        due_at = coalesce(${linkMails.dueAt}, max(${now + WAIT_MS}, coalesce(${linkMails.sentAt}, 0) + ${MAIL_EVERY_MS}))`,
  ]
}

/**
 * Mails the people who are to be told of broken links. Any number of processes may do so on one store: a person is marked in the
 * transaction that stores the mail, so that one of them tells.
 */
export async function mailSome(store: Store, mailer: Mailer, site: Site, now: number): Promise<void> {
  const due = store.db
    .select({ userId: linkMails.userId, dueAt: sql<number>`${linkMails.dueAt}` })
    .from(linkMails)
    .where(lte(linkMails.dueAt, now))
    .orderBy(linkMails.dueAt)
    .limit(AT_ONCE)
  if (mailer.isFull) return
  for (const { userId, dueAt } of await due) {
    const mail = await mailFor(store, userId, site)
    const isDue = and(eq(linkMails.userId, userId), eq(linkMails.dueAt, dueAt))
    const mark = store.db.update(linkMails).set({ dueAt: null, sentAt: now }).where(isDue)
    await mailer.sendWith(mail === null ? [] : [mail], sql`EXISTS (SELECT 1 FROM ${linkMails} WHERE ${isDue})`, [mark])
  }
}

/** What a person is told of all bundles that they may edit; null if nothing is broken, or they want no mail any more. */
async function mailFor({ db, readLong }: Store, userId: string, site: Site): Promise<Mail | null> {
  const [reader] = await db
    .select({ to: user.email })
    .from(user)
    .where(and(eq(user.id, userId), user.emailVerified, isNull(user.disabledAt), SWITCHES.linksBroken))
  if (reader === undefined) return null
  const isEditors = sql`(${owners.userId} = ${userId} OR ${owners.organizationId} IN (SELECT ${member.organizationId} FROM ${member} WHERE ${member.userId} = ${userId} AND ${member.role} <> 'viewer'))`
  const some = db
    .select({ slug: bundles.slug, title: bundles.title, links: sql<number>`count(*)`.as('links') })
    .from(owners)
    .innerJoin(checkedLinks, and(eq(checkedLinks.ownerId, owners.id), IS_BROKEN))
    .innerJoin(bundleLinks, eq(bundleLinks.linkId, checkedLinks.id))
    .innerJoin(bundles, and(eq(bundles.id, bundleLinks.bundleId), isNull(bundles.deletedAt)))
    .where(and(isEditors, owners.checkLinks))
    .groupBy(bundles.id)
    .orderBy(asc(bundles.id))
    .limit(NAMED + 1)
    .as('some')
  // All that is broken is gone through, which may be a hundred thousand links.
  const found = sql`SELECT json_group_array(json_object('slug', slug, 'title', title, 'links', links)) FROM ${some}`
  const broken = JSON.parse(String((await inLongReadSlot(userId, () => readLong(found))) ?? '[]')) as Told['broken']
  return broken.length === 0 ? null : mailOf({ userId, to: reader.to, broken }, site)
}

interface Told {
  userId: string
  to: string
  /** Those that a mail names, and one more if there is; at least one. */
  broken: readonly { slug: string; title: string | null; links: number }[]
}

function mailOf({ userId, to, broken }: Told, site: Site): Mail {
  const unsubscribe = unsubscribeLink(site, { userId, kind: 'linksBroken' })
  const each = broken
    .slice(0, NAMED)
    .flatMap(({ slug, title, links }) => [
      `${count(links, 'broken link')} in`,
      quoted(title ?? slug),
      `${site.origin}/dashboard/links/${slug}`,
    ])
  const text = [
    'Links of bundles that you can edit lead nowhere any more: three looks over three days found nothing there.',
    ...each,
    ...(broken.length > NAMED ? ['There are more:'] : ['All of them:']),
    `${site.origin}/dashboard?health=broken`,
    `You get this on ${site.name}, at most once a week. To get no such email any more:\n\n${unsubscribe}`,
  ].join('\n\n')
  return { to, subject: `Links of your bundles on ${site.name} are broken`, text, unsubscribe }
}
