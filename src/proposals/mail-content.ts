import { and, eq, isNull } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles, type proposalMails, user } from '../../db/schema.ts'
import { diff } from '../bundles/diff.ts'
import { loadFor, type StoredBundle } from '../bundles/roles.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import type { Mail } from '../mail/smtp.ts'
import { SWITCHES, unsubscribeLink } from '../mail/switches.ts'
import { proposalMail, type Told } from './mail-words.ts'
import { sidesOf } from './proposals.ts'
import { one, type Proposal } from './stored.ts'

type Waiting = Pick<typeof proposalMails.$inferSelect, 'userId' | 'bundleId' | 'kind' | 'waiting'>

/** What a mail says of what is waiting, as far as it is still so; null if that is nothing, or its reader may or will not know. */
export async function mailFor(
  store: Store,
  { userId, bundleId, kind, waiting }: Waiting,
  config: Pick<Config, 'origin' | 'name' | 'secret'>,
): Promise<Mail | null> {
  const { db } = store
  const [found] = await db
    .select({ to: user.email, slug: bundles.slug })
    .from(user)
    .innerJoin(bundles, eq(bundles.id, bundleId))
    .where(and(eq(user.id, userId), user.emailVerified, isNull(user.disabledAt), SWITCHES[kind]))
  if (found === undefined) return null
  const reader = { kind: 'session', userId, subject: { type: 'user', userId } } as const
  const needed = kind === 'proposed' ? 'editor' : 'viewer'
  const bundle = await unlessRefused(loadFor(db, reader, found.slug, needed))
  if (bundle === null) return null
  const told: Told[] = []
  for (const id of waiting) {
    const proposal = (await unlessRefused(one(db, bundle, id)))?.proposal
    if (proposal !== undefined && isToTell(kind, proposal)) told.push(await withDifference(store, bundle, proposal))
  }
  if (told.length === 0) return null
  const unsubscribe = unsubscribeLink(config, { userId, kind })
  return { to: found.to, ...proposalMail(kind, { config, userId, bundle, told, unsubscribe }) }
}

async function withDifference(store: Store, bundle: StoredBundle, proposal: Proposal): Promise<Told> {
  const sides = await unlessRefused(sidesOf(store, bundle, proposal))
  return { proposal, difference: sides && diff(sides.base, sides.proposed) }
}

function isToTell(kind: Waiting['kind'], { state }: Proposal): boolean {
  return kind === 'proposed' ? state === 'open' : state === 'accepted' || state === 'rejected'
}

/** What is read, or null if it is gone, or not for its reader. */
async function unlessRefused<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null
    throw error
  }
}
