import type { BundleDiff } from '../bundles/diff.ts'
import type { Client, ProposalInFull } from '../sdk/openall.ts'
import { type Command, command, slugIn } from './command.ts'
import { CHANGES } from './content-flags.ts'
import { changesOf, inputOf } from './document.ts'
import { documentFrom, LINK_CHANGES } from './edit.ts'
import { UsageError } from './exit.ts'
import { commandFor, SLUG } from './operation-command.ts'
import { minute, oneLine, plain, print, printJson, printTable, styled } from './output.ts'
import { printDifferences } from './versions.ts'

type Listed = Awaited<ReturnType<Client['listProposals']>>['proposals'][number]

const ID = {
  type: 'positional',
  required: true,
  description: 'The suggestion: its id in openall proposals list',
} as const

export const propose = command({
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

const show = commandFor('get_proposal', {
  summary: 'Show what a suggestion changes, and what of it conflicts with the newest version',
  examples: ['openall proposals show 4k2mz7qy9p p_4fGk2bNq8Z'],
  args: { id: ID },
  input: ({ args }) => ({ id: args.id }),
  say({ baseVersion, state, reason, note, difference, conflicts }) {
    print(styled('dim', `${state}, based on version ${baseVersion}`))
    if (reason !== null) print(plain(reason))
    if (note !== undefined) print(plain(`Note: ${note}`))
    printDifferences(difference as unknown as BundleDiff)
    for (const conflict of conflicts) printConflict(conflict)
  },
})

function printConflict({ path, newest, proposed }: ProposalInFull['conflicts'][number]): void {
  print(
    styled('yellow', `! ${oneLine(path)}: now ${oneLine(newest ?? 'none')}, suggested ${oneLine(proposed ?? 'none')}`),
  )
}

const accept = commandFor('accept_proposal', {
  summary: 'Accept a suggestion: it becomes a version; flags replace parts of it and so decide conflicts',
  examples: [
    'openall proposals accept 4k2mz7qy9p p_4fGk2bNq8Z',
    'openall proposals accept 4k2mz7qy9p p_4fGk2bNq8Z --title "Launch month"',
  ],
  args: { id: ID, ...CHANGES, ...LINK_CHANGES },
  async input({ args, lists, server, client }) {
    const { add = [], remove = [] } = lists
    const bundle = await client.getBundle({ slug: slugIn(args.slug, server) })
    const document = await documentFrom({ ...args, add, remove }, bundle)
    return { id: args.id, ...(document === null ? {} : inputOf(document)) }
  },
  say: ({ url, versionNumber }) => `${url} is at version ${versionNumber}.`,
})

const reject = commandFor('reject_proposal', {
  summary: 'Reject a suggestion',
  examples: ['openall proposals reject 4k2mz7qy9p p_4fGk2bNq8Z --note "Not yet"'],
  args: { id: ID, note: { type: 'string', valueHint: 'text', description: 'Why, for who made it' } },
  input: ({ args: { id, note } }) => ({ id, ...(note === undefined ? {} : { note }) }),
  say: ({ id }) => `Suggestion ${id} is rejected.`,
})

const withdraw = commandFor('withdraw_proposal', {
  summary: 'Withdraw a suggestion of your own',
  examples: ['openall proposals withdraw 4k2mz7qy9p p_4fGk2bNq8Z'],
  args: { id: ID },
  input: ({ args }) => ({ id: args.id }),
  say: ({ id }) => `Suggestion ${id} is withdrawn.`,
})

export const proposals = { list, show, accept, reject, withdraw } satisfies Record<string, Command>
