import type { Body, ItemOf } from '../sdk/signatures.ts'
import { login, logout, named } from './account.ts'
import { admin } from './admin.ts'
import { apply } from './apply.ts'
import { call } from './call.ts'
import { slugIn } from './command.ts'
import { completion, type Tree } from './completion.ts'
import { CHANGES } from './content-flags.ts'
import { create, duplicate } from './create.ts'
import { diff, printProposal } from './diff.ts'
import { inputOf } from './document.ts'
import { documentFrom, edit, LINK_CHANGES, propose } from './edit.ts'
import { UsageError } from './exit.ts'
import { importFile } from './import.ts'
import { printInsights, TABLES } from './insights.ts'
import { events, keys, webhooks } from './integrations.ts'
import { listen } from './listen.ts'
import { mcp } from './mcp.ts'
import { open } from './open.ts'
import { minute, print } from './output.ts'
import { policy } from './policy.ts'
import { printBundle, printYaml } from './print-content.ts'
import { replace } from './replace.ts'
import { row, SLUG } from './row.ts'

const PROPOSAL_ID = {
  type: 'positional',
  field: 'id',
  description: 'The suggestion: its id in openall proposals list',
} as const

const MESSAGE = { field: 'note', valueHint: 'text', description: 'A message; shown to its author' } as const

/** The commands, in the order of the help. A command that calls one operation is a row: its flags and its output. */
export const COMMANDS: Tree = {
  login,
  logout,
  whoami: row('who_am_i', {
    summary: 'Show the key’s account, role and scopes',
    examples: ['openall whoami', 'openall whoami --json'],
    say(me, { server }) {
      print(`${named(me)} at ${server}`)
      print(`scopes  ${me.scopes.join(', ')}`)
    },
  }),
  create,
  import: importFile,
  apply,
  list: row('list_bundles', {
    summary: 'List or search your bundles, newest first',
    examples: ['openall list', 'openall list --tag live', 'openall list --all --json | jq -r ".bundles[].slug"'],
    args: {
      limit: { field: 'limit', number: true, valueHint: '1-100', description: 'Maximum number of results' },
      offset: { field: 'offset', number: true, description: 'Number of results to skip' },
      search: {
        field: 'q',
        alias: 's',
        valueHint: 'text',
        description: 'Only bundles with this in their titles, description or URLs',
      },
      tag: { field: 'tag', description: 'Only bundles with this tag on a link' },
      health: {
        type: 'enum',
        options: ['broken', 'moved'],
        field: 'health',
        description: 'Only bundles with a link in this state',
      },
      sort: { type: 'enum', options: ['created', 'updated', 'title'], field: 'sort', description: 'Sort order' },
      deleted: { type: 'boolean', description: 'List deleted bundles, which openall restore brings back' },
      all: { type: 'boolean', alias: 'a', description: 'List all, not just one page' },
    },
    input: ({ args }) => (args.deleted ? { state: 'deleted' as const } : {}),
    list: 'bundles',
    columns: {
      SLUG: 'slug',
      TABS: ({ urls }) => String(urls.length),
      'UPDATED (UTC)': ({ updatedAt }) => minute(updatedAt),
      TITLE: ({ title, urls }) => title ?? urls[0] ?? '',
    },
    empty: 'No bundles found. To create one: openall create <url>…',
  }),
  pin: row('pin_bundle', {
    summary: 'Pin a bundle: it comes first in your list',
    examples: ['openall pin 4k2mz7qy9p'],
    say: ({ slug }) => `Pinned ${slug}. To undo: openall unpin ${slug}`,
  }),
  unpin: row('unpin_bundle', {
    summary: 'Unpin a bundle',
    examples: ['openall unpin 4k2mz7qy9p'],
    say: ({ slug }) => `Unpinned ${slug}.`,
  }),
  show: row('get_bundle', {
    summary: 'Show a bundle in full',
    examples: ['openall show 4k2mz7qy9p', 'openall show https://openall.example/l/4k2mz7qy9p --json'],
    args: { yaml: { type: 'boolean', description: 'Print it as openall apply reads it' } },
    say: (bundle, { args }) => (args.yaml ? printYaml(bundle) : printBundle(bundle)),
  }),
  edit,
  propose,
  proposals: {
    list: row('list_proposals', {
      summary: 'List the suggestions for a bundle, or the open ones for all your bundles',
      examples: ['openall proposals list', 'openall proposals list 4k2mz7qy9p --state all'],
      without: { slug: 'list_open_proposals' },
      args: {
        state: {
          type: 'enum',
          options: ['open', 'accepted', 'rejected', 'withdrawn', 'all'],
          field: 'state',
          description: 'Of a bundle: only those in this state; default: open',
        },
      },
      input({ args }) {
        if (args.slug === undefined && args.state !== undefined) throw new UsageError('--state needs a bundle')
        return {}
      },
      list: 'proposals',
      columns: {
        ID: 'id',
        BUNDLE: 'slug',
        'MADE (UTC)': ({ createdAt }) => minute(createdAt),
        BY: authorOf,
        STATE: 'state',
        REASON: 'reason',
      },
    }),
    show: row('get_proposal', {
      summary: 'Show the changes in a suggestion, and its conflicts with the newest version',
      examples: ['openall proposals show 4k2mz7qy9p p_4fGk2bNq8Z'],
      args: { id: PROPOSAL_ID },
      say: printProposal,
    }),
    accept: row('accept_proposal', {
      summary: 'Accept a suggestion as a new version; flags replace parts of it, which settles conflicts',
      examples: [
        'openall proposals accept 4k2mz7qy9p p_4fGk2bNq8Z',
        'openall proposals accept 4k2mz7qy9p p_4fGk2bNq8Z --title "Launch month"',
      ],
      args: { id: PROPOSAL_ID, note: MESSAGE, ...CHANGES, ...LINK_CHANGES },
      async input({ args, lists, server, client }) {
        const { add = [], remove = [] } = lists
        const bundle = await client.getBundle({ slug: slugIn(args.slug, server) })
        const document = await documentFrom({ ...args, add, remove }, bundle)
        return document === null ? {} : inputOf(document)
      },
      say: ({ url, versionNumber }) => `${url} is at version ${versionNumber}.`,
    }),
    reject: row('reject_proposal', {
      summary: 'Reject a suggestion',
      examples: ['openall proposals reject 4k2mz7qy9p p_4fGk2bNq8Z --note "Not yet"'],
      args: {
        id: PROPOSAL_ID,
        note: MESSAGE,
      },
      say: ({ id }) => `Suggestion ${id} is rejected.`,
    }),
    withdraw: row('withdraw_proposal', {
      summary: 'Withdraw a suggestion of your own',
      examples: ['openall proposals withdraw 4k2mz7qy9p p_4fGk2bNq8Z'],
      args: { id: PROPOSAL_ID },
      say: ({ id }) => `Suggestion ${id} is withdrawn.`,
    }),
  },
  duplicate,
  delete: row('delete_bundle', {
    summary: 'Delete a bundle; openall restore brings it back',
    examples: ['openall delete 4k2mz7qy9p'],
    say: ({ slug }) => `Deleted ${slug}. To undo: openall restore ${slug}`,
  }),
  restore: row('restore_version', {
    summary: 'Restore a deleted bundle, or an old version',
    examples: ['openall restore 4k2mz7qy9p', 'openall restore 4k2mz7qy9p --version 3'],
    without: { version: 'restore_bundle' },
    args: {
      version: { field: 'versionNumber', number: true, description: 'The version to restore, as a new version' },
    },
    say: ({ slug, url, versionNumber }, { args: { version } }) =>
      version === undefined
        ? `Restored ${slug}: ${url}`
        : `Restored version ${Number(version)} of ${slug} as version ${versionNumber}.`,
  }),
  replace,
  rename: row('rename_bundle', {
    summary: 'Rename a bundle; its old link leads to the new one',
    examples: ['openall rename launch-day launch'],
    args: {
      'new-slug': { type: 'positional', field: 'newSlug', description: 'The new end of its link' },
    },
    say: ({ url, aliases }) => `It is at ${url} now. ${aliases.join(', ')} lead there too.`,
  }),
  transfer: row('transfer_bundle', {
    summary: 'Move a bundle into an organisation',
    examples: ['openall transfer 4k2mz7qy9p --to o_27pd'],
    args: {
      to: {
        valueHint: 'organisation',
        description: 'Who gets it: the id of an organisation, from the address of its page',
      },
    },
    input({ args }) {
      if (args.to === undefined) throw new UsageError('--to is missing: the id of an organisation')
      return { to: { type: 'organization' as const, organizationId: args.to } }
    },
    say: ({ slug, url }) => `${slug} belongs to the organisation now. Its link stays ${url}`,
  }),
  versions: row('list_versions', {
    summary: 'List every version of a bundle, newest first',
    examples: ['openall versions 4k2mz7qy9p'],
    list: 'versions',
    columns: {
      VERSION: 'versionNumber',
      'EDITED (UTC)': ({ editedAt }) => minute(editedAt),
      BY: editorOf,
      TABS: ({ urls }) => String(urls.length),
      TITLE: 'title',
    },
  }),
  diff,
  insights: row('get_insights', {
    summary: 'Show views, viewers, clicks on Open all, opened tabs, and sources of views; or all bundles together',
    examples: [
      'openall insights 4k2mz7qy9p --range 7d',
      'openall insights --range 90d',
      'openall insights 4k2mz7qy9p --csv > views.csv',
      'openall insights 4k2mz7qy9p --csv --breakdown tabs',
    ],
    without: { slug: 'get_overview' },
    args: {
      slug: { ...SLUG, optional: true, description: `${SLUG.description}; default: all together` },
      range: {
        type: 'enum',
        options: ['7d', '30d', '90d'],
        field: 'range',
        description: 'The period, including today; default: 30d',
      },
      from: { field: 'from', valueHint: 'day', description: 'The first UTC day, instead of --range: 2026-10-01' },
      to: { field: 'to', valueHint: 'day', description: 'The last UTC day; default: today' },
      csv: { type: 'boolean', description: 'Print the days as CSV' },
      breakdown: {
        type: 'enum',
        options: TABLES,
        field: 'breakdown',
        description: 'With --csv: print this table instead of the days',
      },
    },
    input({ args }) {
      if (args.breakdown !== undefined && !args.csv) throw new UsageError('--breakdown needs --csv')
      if (args.range !== undefined && (args.from ?? args.to) !== undefined)
        throw new UsageError('give --range, or --from and --to, not both')
      return {}
    },
    say: printInsights,
  }),
  policy,
  claim: row('claim_bundle', {
    summary: 'Move an unclaimed bundle into your account',
    examples: ['openall claim oDk4…', 'openall claim https://openall.example/claim/oDk4…'],
    args: {
      token: { type: 'positional', description: 'The claim token, or the private edit link' },
    },
    input: ({ args }) => ({ token: /^https?:\/\/[^/]+\/claim\/([^/?#]+)$/.exec(args.token)?.[1] ?? args.token }),
    say: ({ url }) => `${url} is yours.`,
  }),
  open,
  keys,
  events,
  webhooks,
  listen,
  call,
  mcp,
  admin,
  completion,
}

function editorOf({ editedByIdentityUserId, proposedBy }: ItemOf<Body<'list_versions'>['versions']>): string {
  const editor = editedByIdentityUserId ?? 'no account'
  return proposedBy === null || proposedBy === editor ? editor : `${proposedBy}, accepted by ${editor}`
}

function authorOf({ proposedBy }: ItemOf<Body<'list_proposals'>['proposals']>): string {
  if (proposedBy === null) return 'deleted account'
  return typeof proposedBy === 'string' ? proposedBy : 'the service'
}
