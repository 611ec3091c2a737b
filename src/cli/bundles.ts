import type { Client } from '../sdk/openall.ts'
import { command, integer, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { commandFor, expectedVersionIn, IF_VERSION, SLUG } from './operation-command.ts'
import { minute, note, oneLine, print, printJson, printTable, progress } from './output.ts'

export type Bundle = Awaited<ReturnType<Client['getBundle']>>
type Item = Awaited<ReturnType<Client['listBundles']>>['bundles'][number]

/** Prints the link of a new bundle, and how to claim it. */
export function printCreated(created: Awaited<ReturnType<Client['createBundle']>>): void {
  print(created.url)
  if (created.claimToken === undefined) return
  note(`Nobody owns this bundle yet. Until ${created.claimExpiresAt} it can be claimed, once:`)
  note(`  openall claim ${created.claimToken}`)
  note(oneLine(`  or open ${created.claimUrl}`))
}

export const list = command({
  summary: 'List or search your bundles, newest first',
  examples: ['openall list', 'openall list --tag live', 'openall list --all --json | jq -r ".bundles[].slug"'],
  args: {
    limit: { type: 'string', valueHint: '1-100', description: 'Maximum number of results' },
    offset: { type: 'string', valueHint: 'number', description: 'Number of results to skip' },
    search: {
      type: 'string',
      alias: 's',
      valueHint: 'text',
      description: 'Only bundles with this in their titles, description or URLs',
    },
    tag: { type: 'string', valueHint: 'tag', description: 'Only bundles with this tag on a link' },
    health: { type: 'enum', options: ['broken', 'moved'], description: 'Only bundles with such a link' },
    sort: { type: 'enum', options: ['created', 'updated', 'title'], description: 'Sort order' },
    deleted: { type: 'boolean', description: 'List deleted bundles, which openall restore brings back' },
    all: { type: 'boolean', alias: 'a', description: 'List all, not just one page' },
  },
  async run({ args, client }) {
    const input = {
      ...(args.search === undefined ? {} : { q: args.search }),
      ...(args.tag === undefined ? {} : { tag: args.tag }),
      ...(args.health === undefined ? {} : { health: args.health }),
      ...(args.sort === undefined ? {} : { sort: args.sort }),
      ...(args.deleted ? { state: 'deleted' as const } : {}),
      ...(args.limit === undefined ? {} : { limit: integer(args.limit, '--limit') }),
      ...(args.offset === undefined ? {} : { offset: integer(args.offset, '--offset') }),
    }
    if (!args.all) {
      const page = await client.listBundles(input)
      return args.json ? printJson(page) : printBundles(page.bundles)
    }
    const bundles: Item[] = []
    for await (const bundle of client.listBundles.each(input)) {
      bundles.push(bundle)
      if (bundles.length % 100 === 0) progress(`${bundles.length} bundles…`)
    }
    progress(null)
    return args.json ? printJson({ bundles }) : printBundles(bundles)
  },
})

function printBundles(bundles: readonly Item[]): void {
  if (bundles.length === 0) note('No bundles found. To create one: openall create <url>…')
  const rows = bundles.map(({ slug, urls, updatedAt, title }) => [
    slug,
    String(urls.length),
    minute(updatedAt),
    oneLine(title ?? urls[0] ?? ''),
  ])
  if (rows.length > 0) printTable(['SLUG', 'TABS', 'UPDATED (UTC)', 'TITLE'], rows)
}

export const remove = commandFor('delete_bundle', {
  summary: 'Delete a bundle; openall restore brings it back',
  examples: ['openall delete 4k2mz7qy9p'],
  say: ({ slug }) => `Deleted ${slug}. To undo: openall restore ${slug}`,
})

export const restore = command({
  summary: 'Restore a deleted bundle, or an old version',
  examples: ['openall restore 4k2mz7qy9p', 'openall restore 4k2mz7qy9p --version 3'],
  args: {
    slug: SLUG,
    version: { type: 'string', valueHint: 'number', description: 'The version to restore, as a new version' },
    'if-version': IF_VERSION,
  },
  async run({ args, server, client }) {
    const slug = slugIn(args.slug, server)
    if (args.version === undefined) {
      const bundle = await client.restoreBundle({ slug })
      return args.json ? printJson(bundle) : print(oneLine(`Restored ${bundle.slug}: ${bundle.url}`))
    }
    const versionNumber = integer(args.version, '--version')
    const bundle = await client.restoreVersion({ slug, versionNumber }, expectedVersionIn(args['if-version']))
    if (args.json) return printJson(bundle)
    print(`Restored version ${versionNumber} of ${bundle.slug} as version ${bundle.versionNumber}.`)
  },
})

export const pin = commandFor('pin_bundle', {
  summary: 'Pin a bundle: it comes first in your list',
  examples: ['openall pin 4k2mz7qy9p'],
  say: ({ slug }) => `Pinned ${slug}. To undo: openall unpin ${slug}`,
})

export const unpin = commandFor('unpin_bundle', {
  summary: 'Unpin a bundle',
  examples: ['openall unpin 4k2mz7qy9p'],
  say: ({ slug }) => `Unpinned ${slug}.`,
})

export const claim = commandFor('claim_bundle', {
  summary: 'Move an unclaimed bundle into your account',
  examples: ['openall claim oDk4…', 'openall claim https://openall.example/claim/oDk4…'],
  args: { token: { type: 'positional', required: true, description: 'The claim token, or the private edit link' } },
  input: ({ args }) => ({ token: /^https?:\/\/[^/]+\/claim\/([^/?#]+)$/.exec(args.token)?.[1] ?? args.token }),
  say: ({ url }) => `${url} is yours.`,
})

export const transfer = commandFor('transfer_bundle', {
  summary: 'Move a bundle into an organisation',
  examples: ['openall transfer 4k2mz7qy9p --to o_27pd'],
  args: {
    to: {
      type: 'string',
      valueHint: 'organisation',
      description: 'Who gets it: the id of an organisation, from the address of its page',
    },
  },
  input({ args }) {
    if (args.to === undefined) throw new UsageError('--to is missing: the id of an organisation')
    return { to: { type: 'organization' as const, organizationId: args.to } }
  },
  say: ({ slug, url }) => `${slug} belongs to the organisation now. Its link stays ${url}`,
})
