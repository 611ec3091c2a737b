import type { ProposalMail } from '../../db/schema.ts'
import { CONTENT, PROPOSABLE_NAMES } from '../bundles/content.ts'
import type { BundleDiff } from '../bundles/diff.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import type { Config } from '../config/config.ts'
import { count, inSentence, joinList } from '../core/words.ts'
import { clipped, inLine, quoted } from '../mail/mailer.ts'
import type { Mail } from '../mail/smtp.ts'
import type { Proposal } from './stored.ts'

/** Characters of a name in a subject. */
const MAX_IN_SUBJECT = 60

/** A proposal that a mail tells of. */
export interface Told {
  proposal: Proposal
  /** From its base to what is proposed; null if that cannot be computed. */
  difference: BundleDiff | null
}

/** What a mail about proposals is made from. */
interface Said {
  config: Pick<Config, 'name' | 'origin'>
  /** Its reader. */
  userId: string
  bundle: StoredBundle
  /** At least one, oldest first. */
  told: readonly Told[]
  /** Where one press stops such mails. */
  unsubscribe: string
}

/** A mail about proposals for one bundle. */
export function proposalMail(kind: ProposalMail, said: Said): Omit<Mail, 'to'> {
  const { config, bundle, told, unsubscribe } = said
  const { subject, sentence, rest, lead, why } = WORDS[kind]
  const each = told.flatMap((one, at) => {
    const link = `${config.origin}/dashboard/links/${bundle.slug}/proposals/${one.proposal.id}`
    const name = at === 0 ? [quoted(nameOf(bundle))] : []
    return [sentence(one, said, at === 0), ...name, ...rest(one.proposal), `${lead}\n\n${link}`]
  })
  const stop = `${why} on ${config.name}, at most once an hour for a bundle. To get no such email any more:\n\n${unsubscribe}`
  return { subject: subject(said), text: [...each, stop].join('\n\n'), unsubscribe }
}

interface Words {
  subject(said: Said): string
  /** What happened; the bundle's name follows the first, in a line of its own. */
  sentence(one: Told, said: Said, isFirst: boolean): string
  /** What somebody wrote to it. */
  rest(proposal: Proposal): string[]
  /** Leads to the proposal's page. */
  lead: string
  /** Why its reader gets it. */
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
    lead: 'See what would become different, and accept or reject it:',
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
    rest: ({ note }) => (note === null ? [] : ['Their message:', quoted(note)]),
    lead: 'See what became of it:',
    why: 'You get this because you suggested it',
  },
}

type Person = Proposal['proposer']

/** Whoever or whatever proposed it, to a reader. */
function proposerOf(proposal: Proposal, userId: string): string {
  return isOfOwnKey(proposal, userId) ? `Your key “${inLine(proposal.keyName ?? '')}”` : nameIn(proposal.proposer)
}

function isOfOwnKey({ proposedBy, keyName }: Proposal, userId: string): boolean {
  return proposedBy === userId && keyName !== null
}

function nameIn(person: Person): string {
  return person === null ? 'Somebody' : inLine(person.name) || inLine(person.email)
}

/** The address of a person with a name, because anybody can have any name. */
function addressOf(person: Person): string {
  return person === null || inLine(person.name) === '' ? '' : ` (${person.email})`
}

function nameOf({ title, slug }: StoredBundle): string {
  return inLine(title ?? '') === '' ? slug : (title ?? slug)
}

/** A bundle's name in a subject. */
function titled(bundle: StoredBundle): string {
  return `“${clipped(inLine(nameOf(bundle)), MAX_IN_SUBJECT)}”`
}

/** What differs: `the title and 2 links`. */
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
