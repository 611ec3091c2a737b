import type { BundleDiff } from '../bundles/diff.ts'
import type { Client, ProposalInFull } from '../sdk/openall.ts'
import { expectedVersionIn, IF_VERSION, SLUG } from './bundles.ts'
import { type Command, command, slugIn } from './command.ts'
import { CHANGES } from './content-flags.ts'
import { changesOf, inputOf } from './document.ts'
import { documentFrom, LINK_CHANGES } from './edit.ts'
import { UsageError } from './exit.ts'
import { minute, oneLine, plain, print, printJson, printTable, styled } from './output.ts'
import { printDifferences } from './versions.ts'

type Listed = Awaited<ReturnType<Client['listProposals']>>['proposals'][number]

const ID = {
  type: 'positional',
  required: true,
  description: 'The suggestion: its id in openall proposals list',
} as const

export const propose = command({
  name: 'propose',
  summary: 'Suggest an edit, which an editor accepts or rejects',
  examples: [
    'openall propose 4k2mz7qy9p --title "Launch week" --reason "It takes until Friday"',
    'openall propose 4k2mz7qy9p --add https://example.com/chat',
  ],
  args: {
    slug: SLUG,
    ...CHANGES,
    ...LINK_CHANGES,
    reason: { type: 'string', alias: 'r', valueHint: 'text', description: 'Why, for whoever decides' },
  },
  async run({ args, lists, server, client }) {
    const bundle = await client.getBundle({ slug: slugIn(args.slug, server) })
    const { add = [], remove = [] } = lists
    const changed = await documentFrom({ ...args, add, remove }, bundle)
    const changes = changed === null ? {} : changesOf(changed, bundle)
    if (Object.keys(changes).length === 0) throw new UsageError('say with flags what should become different')
    const { slug, versionNumber: baseVersion } = bundle
    const { reason } = args
    const made = await client.proposeEdit({
      slug,
      baseVersion,
      ...changes,
      ...(reason === undefined ? {} : { reason }),
    })
    if (args.json) return printJson(made)
    print(`Suggestion ${made.id} waits for an editor of ${oneLine(bundle.url)}.`)
  },
})

const list = command({
  name: 'list',
  summary: 'List the suggestions for a bundle, or the open ones for all your bundles',
  examples: ['openall proposals list', 'openall proposals list 4k2mz7qy9p --state all'],
  args: {
    slug: { ...SLUG, required: false },
    state: {
      type: 'enum',
      options: ['open', 'accepted', 'rejected', 'withdrawn', 'all'],
      description: 'Which of a bundle’s; default: open',
    },
  },
  async run({ args, server, client }) {
    if (args.slug === undefined && args.state !== undefined) throw new UsageError('--state needs a bundle')
    const state = args.state as 'open' | undefined
    const answer =
      args.slug === undefined
        ? await client.listOpenProposals()
        : await client.listProposals({ slug: slugIn(args.slug, server), ...(state === undefined ? {} : { state }) })
    if (args.json) return printJson(answer)
    printTable(['ID', 'BUNDLE', 'MADE (UTC)', 'BY', 'STATE', 'REASON'], answer.proposals.map(rowOf))
  },
})

function rowOf({ id, slug, createdAt, proposedBy, state, reason }: Listed): string[] {
  return [id, slug, minute(createdAt), authorOf(proposedBy), state, oneLine(reason ?? '')]
}

function authorOf(proposedBy: Listed['proposedBy']): string {
  if (proposedBy === null) return 'deleted account'
  return typeof proposedBy === 'string' ? proposedBy : 'the service'
}

const show = command({
  name: 'show',
  summary: 'Show what a suggestion changes, and what of it conflicts with the newest version',
  examples: ['openall proposals show 4k2mz7qy9p p_4fGk2bNq8Z'],
  args: { slug: SLUG, id: ID },
  async run({ args, server, client }) {
    const proposal = await client.getProposal({ slug: slugIn(args.slug, server), id: args.id })
    if (args.json) return printJson(proposal)
    const { baseVersion, state, reason, note } = proposal
    print(styled('dim', `${state}, based on version ${baseVersion}`))
    if (reason !== null) print(plain(reason))
    if (note !== undefined) print(plain(`Note: ${note}`))
    printDifferences(proposal.difference as unknown as BundleDiff)
    for (const conflict of proposal.conflicts) printConflict(conflict)
  },
})

function printConflict({ path, newest, proposed }: ProposalInFull['conflicts'][number]): void {
  print(
    styled('yellow', `! ${oneLine(path)}: now ${oneLine(newest ?? 'none')}, suggested ${oneLine(proposed ?? 'none')}`),
  )
}

const accept = command({
  name: 'accept',
  summary: 'Accept a suggestion: it becomes a version; flags replace parts of it and so decide conflicts',
  examples: [
    'openall proposals accept 4k2mz7qy9p p_4fGk2bNq8Z',
    'openall proposals accept 4k2mz7qy9p p_4fGk2bNq8Z --title "Launch month"',
  ],
  args: { slug: SLUG, id: ID, ...CHANGES, ...LINK_CHANGES, 'if-version': IF_VERSION },
  async run({ args, lists, server, client }) {
    const slug = slugIn(args.slug, server)
    const { id } = args
    const { add = [], remove = [] } = lists
    const document = await documentFrom({ ...args, add, remove }, await client.getBundle({ slug }))
    const instead = document === null ? {} : inputOf(document)
    const bundle = await client.acceptProposal({ slug, id, ...instead }, expectedVersionIn(args['if-version']))
    if (args.json) return printJson(bundle)
    print(oneLine(`${bundle.url} is at version ${bundle.versionNumber}.`))
  },
})

const reject = command({
  name: 'reject',
  summary: 'Reject a suggestion',
  examples: ['openall proposals reject 4k2mz7qy9p p_4fGk2bNq8Z --note "Not yet"'],
  args: { slug: SLUG, id: ID, note: { type: 'string', valueHint: 'text', description: 'Why, for who made it' } },
  async run({ args, server, client }) {
    const note = args.note === undefined ? {} : { note: args.note }
    const answer = await client.rejectProposal({ slug: slugIn(args.slug, server), id: args.id, ...note })
    if (args.json) return printJson(answer)
    print(`Suggestion ${answer.id} is rejected.`)
  },
})

const withdraw = command({
  name: 'withdraw',
  summary: 'Withdraw a suggestion of your own',
  examples: ['openall proposals withdraw 4k2mz7qy9p p_4fGk2bNq8Z'],
  args: { slug: SLUG, id: ID },
  async run({ args, server, client }) {
    const answer = await client.withdrawProposal({ slug: slugIn(args.slug, server), id: args.id })
    if (args.json) return printJson(answer)
    print(`Suggestion ${answer.id} is withdrawn.`)
  },
})

export const proposals = { list, show, accept, reject, withdraw } satisfies Record<string, Command>
