import { and, eq, isNull } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles, type ProposalMail, user } from '../../db/schema.ts'
import { CONTENT, PROPOSABLE_NAMES } from '../bundles/content/content.ts'
import { type BundleDiff, diff } from '../bundles/content/diff.ts'
import { loadFor, type StoredBundle } from '../bundles/edit/bundles.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import { count, inSentence, joinList } from '../core/words.ts'
import { letterheadOf, under } from '../mail/letterhead.ts'
import { clipped, inLine, quoted } from '../mail/mailer.ts'
import type { Notice } from '../mail/notices.ts'
import type { Mail } from '../mail/smtp.ts'
import { SWITCHES, unsubscribeLink } from '../mail/switches.ts'
import { sidesOf } from './proposals.ts'
import { one, type Proposal } from './stored.ts'

type Waiting = Pick<Notice, 'userId' | 'bundleId' | 'waiting'> & { kind: ProposalMail }

/** The mail about waiting proposals that are still current; null for none, or if the person may not or will not get it. */
export async function mailFor(
  store: Store,
  { userId, bundleId, kind, waiting }: Waiting,
  config: Pick<Config, 'origin' | 'name' | 'secret'>,
): Promise<Mail | null> {
  const { db } = store
  const [found] = await db
    .select({ to: user.email, slug: bundles.slug })
    .from(user)
    .innerJoin(bundles, eq(bundles.id, bundleId ?? 0))
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
  const letterhead = bundle.owner.type === 'user' ? null : await letterheadOf(store, bundle.owner)
  return under(
    letterhead,
    { to: found.to, ...proposalMail(kind, { config, userId, bundle, told, unsubscribe }) },
    config,
  )
}

async function withDifference(store: Store, bundle: StoredBundle, proposal: Proposal): Promise<Told> {
  const sides = await unlessRefused(sidesOf(store, bundle, proposal))
  return { proposal, difference: sides && diff(sides.base, sides.proposed) }
}

function isToTell(kind: Waiting['kind'], { state }: Proposal): boolean {
  return kind === 'proposed' ? state === 'open' : state === 'accepted' || state === 'rejected'
}

/** The result of reading; null if it is gone or the reader may not see it. */
async function unlessRefused<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null
    throw error
  }
}

/** The most characters of a name in a subject. */
const MAX_IN_SUBJECT = 60

/** A proposal in a mail. */
interface Told {
  proposal: Proposal
  /** The difference between its base and the proposed content; null if it cannot be computed. */
  difference: BundleDiff | null
}

/** The data for a mail about proposals. */
interface Said {
  config: Pick<Config, 'name' | 'origin'>
  /** The reader of the mail. */
  userId: string
  bundle: StoredBundle
  /** At least one, oldest first. */
  told: readonly Told[]
  /** The link to unsubscribe from such mails. */
  unsubscribe: string
}

/** A mail about proposals for one bundle. */
function proposalMail(kind: ProposalMail, said: Said): Omit<Mail, 'to'> {
  const { config, bundle, told, unsubscribe } = said
  const { subject, sentence, rest, lead, why } = WORDS[kind]
  const each = told.flatMap((one, at) => {
    const link = `${config.origin}${routes.bundle.proposal.href({ slug: bundle.slug, id: one.proposal.id })}`
    const name = at === 0 ? [quoted(nameOf(bundle))] : []
    return [sentence(one, said, at === 0), ...name, ...rest(one.proposal), `${lead}\n\n${link}`]
  })
  const stop = `${why} on ${config.name}, at most once an hour for a bundle. To stop these emails:\n\n${unsubscribe}`
  return { subject: subject(said), text: [...each, stop].join('\n\n'), unsubscribe }
}

interface Words {
  subject(said: Said): string
  /** What happened; after the first, the bundle's name follows on its own line. */
  sentence(one: Told, said: Said, isFirst: boolean): string
  /** The message of its author or of whoever decided. */
  rest(proposal: Proposal): string[]
  /** Leads to the proposal's page. */
  lead: string
  /** Why the reader gets the mail. */
  why: string
}

const WORDS: Record<ProposalMail, Words> = {
  proposed: {
    subject({ bundle, told, userId }) {
      const people = [...new Set(told.map(({ proposal }) => clipped(proposerOf(proposal, userId), MAX_IN_SUBJECT)))]
      const who = people.length === 1 ? `${people[0]} suggests` : `${people.length} people suggest`
      return `${who} ${told.length === 1 ? 'a change' : `${told.length} changes`} to ${titled(bundle)}`
    },
    sentence({ proposal, difference }, { userId }, isFirst) {
      const who = `${proposerOf(proposal, userId)}${isOfOwnKey(proposal, userId) ? '' : addressOf(proposal.proposer)}`
      return `${who} suggests ${difference === null ? 'a change' : `changing ${wordsOf(difference)}`}${isFirst ? ' of a bundle that you can edit:' : '.'}`
    },
    rest: ({ reason }) => (reason === null ? [] : ['The reason:', quoted(reason)]),
    lead: 'Review the change, then accept or reject it:',
    why: 'You get this because you can edit the bundle',
  },
  decided: {
    subject({ bundle, told }) {
      const states = [...new Set(told.map(({ proposal }) => proposal.state))]
      const what = told.length === 1 ? 'your suggestion was' : `your ${told.length} suggestions were`
      return `${titled(bundle)}: ${what} ${states.length === 1 ? states[0] : 'decided'}`
    },
    sentence({ proposal, difference }, _, isFirst) {
      const { decider, state, versionNumber } = proposal
      const what = difference === null ? '' : ` to change ${wordsOf(difference)}`
      const version = versionNumber === null ? '' : `, as version ${versionNumber}`
      return `${nameIn(decider)}${addressOf(decider)} ${state} your suggestion${what}${version}${isFirst ? ':' : '.'}`
    },
    rest: ({ note }) => (note === null ? [] : ['The message:', quoted(note)]),
    lead: 'See the result:',
    why: 'You get this because you suggested it',
  },
}

type Person = Proposal['proposer']

/** The name of the person or key that proposed it, as a reader knows it. */
function proposerOf(proposal: Proposal, userId: string): string {
  return isOfOwnKey(proposal, userId) ? `Your key “${inLine(proposal.keyName ?? '')}”` : nameIn(proposal.proposer)
}

function isOfOwnKey({ proposedBy, keyName }: Proposal, userId: string): boolean {
  return proposedBy === userId && keyName !== null
}

function nameIn(person: Person): string {
  return person === null ? 'Somebody' : inLine(person.name) || inLine(person.email)
}

/** The email address to show beside a person’s name, because anybody can choose any name. */
function addressOf(person: Person): string {
  return person === null || inLine(person.name) === '' ? '' : ` (${person.email})`
}

function nameOf({ title, slug }: StoredBundle): string {
  return inLine(title ?? '') === '' ? slug : (title ?? slug)
}

/** The name of a bundle for a subject. */
function titled(bundle: StoredBundle): string {
  return `“${clipped(inLine(nameOf(bundle)), MAX_IN_SUBJECT)}”`
}

/** A difference in words: `the title and 2 links`. */
function wordsOf({ fields, links, variables, rules }: BundleDiff): string {
  const texts = PROPOSABLE_NAMES.filter((name) => name in fields).map(
    (name) => `the ${inSentence(CONTENT[name].label)}`,
  )
  const lists = [
    [links.length, 'link'],
    [variables.length, 'variable'],
    [rules.length, 'rule'],
  ] as const
  return joinList([...texts, ...lists.filter(([size]) => size > 0).map(([size, noun]) => count(size, noun))], 'and')
}
