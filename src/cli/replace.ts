import { count } from '../core/words.ts'
import type { Client } from '../sdk/openall.ts'
import { command } from './command.ts'
import { note, oneLine, print, printJson } from './output.ts'
import { DRY_RUN } from './row.ts'

export const replace = command({
  summary: 'Replace a link in all your bundles',
  examples: [
    'openall replace https://example.com/plan https://example.com/plan/2026 --dry-run',
    'openall replace https://old.example/ https://example.com/wiki/',
  ],
  args: {
    from: { type: 'positional', description: 'The link as it is in your bundles' },
    to: {
      type: 'positional',
      description: 'What it becomes; if both end in /, links that begin with the first change too',
    },
    'dry-run': DRY_RUN,
  },
  async run({ args, client }) {
    const all = await replaceAll(client, { from: args.from, to: args.to, dryRun: args['dry-run'] === true })
    if (args.json) return printJson(all)
    for (const { slug, places } of all.replaced) {
      print(oneLine(`${slug}: ${count(places, 'place')}`))
    }
    for (const { slug, reason } of all.skipped) note(oneLine(`${slug} was left out: ${reason}`))
    const bundles = count(all.replaced.length, 'bundle')
    note(args['dry-run'] === true ? `It would change ${bundles}.` : `Changed ${bundles}.`)
  },
})

/** Continues until every bundle has been tried. */
async function replaceAll(client: Client, input: { from: string; to: string; dryRun: boolean }) {
  const all: Pick<Awaited<ReturnType<Client['replaceUrl']>>, 'replaced' | 'skipped'> = { replaced: [], skipped: [] }
  let cursor: string | undefined
  do {
    const { replaced, skipped, nextCursor } = await client.replaceUrl({ ...input, ...(cursor && { cursor }) })
    all.replaced.push(...replaced)
    all.skipped.push(...skipped)
    cursor = nextCursor
  } while (cursor !== undefined)
  return all
}
