import { createHash } from 'node:crypto'
import type { NewBundle } from '../bundles/content/shapes.ts'
import { count } from '../core/words.ts'
import type { ImportPlan } from '../imports/plan.ts'
import { saidRemarks } from '../imports/said.ts'
import { type Client, OpenallError } from '../sdk/openall.ts'
import { command } from './command.ts'
import { readListFile } from './input.ts'
import { noteRemarks, readExport } from './lists.ts'
import { note, oneLine, print, printJson, progress } from './output.ts'
import { DRY_RUN } from './row.ts'

export const importFile = command({
  summary: 'Create bundles from bookmarks, CSV, Markdown, the export of a tab manager or a long list of URLs',
  examples: ['openall import bookmarks.html --dry-run', 'openall import bookmarks.html --sections'],
  args: {
    file: { type: 'positional', description: 'The file; - is standard input' },
    sections: { type: 'boolean', description: 'One bundle with a section for each folder, heading or group' },
    'dry-run': DRY_RUN,
  },
  async run({ args, client }) {
    const text = await readListFile(args.file)
    const plan = await readExport(text, args.sections ? 'sections' : 'bundles')
    if (args['dry-run']) return args.json ? printJson(plan) : printPlan(plan)
    const { toNewBundle } = await import('../imports/import.ts')
    // Keys are derived from the file: importing it again after a failure creates only what is missing.
    const name = createHash('sha256')
      .update(args.sections ? `sections ${text}` : text)
      .digest('hex')
      .slice(0, 32)
    const made: Awaited<ReturnType<Client['createBundle']>>[] = []
    for (const [index, bundle] of plan.bundles.entries()) {
      progress(`${index} of ${count(plan.bundles.length, 'bundle')}…`)
      const idempotencyKey = `import-${name}-${index}`
      try {
        made.push(await createOne(client, toNewBundle(bundle), idempotencyKey))
      } catch (error) {
        progress(null)
        note(
          `${made.length} of ${count(plan.bundles.length, 'bundle')} created. Run this again within 24 hours to create the rest.`,
        )
        throw error
      }
    }
    progress(null)
    const links = plan.bundles.flatMap((bundle) => bundle.links)
    const { skipped, changed } = plan
    if (args.json) return printJson({ bundles: made, skipped, changed, said: saidRemarks(links) })
    for (const [index, { url, claimToken }] of made.entries()) {
      print(`${url}  ${oneLine(plan.bundles[index]?.title ?? '')}`.trimEnd())
      if (claimToken !== undefined) note(`  to claim it: openall claim ${claimToken}`)
    }
    noteRemarks(plan, links)
  },
})

/** Creates a bundle. Omits its aliases if they are taken, and its external id if another bundle has it. */
async function createOne(client: Client, input: NewBundle, idempotencyKey: string) {
  const { aliases, ...bundle } = input
  try {
    return await createWithId(client, input, idempotencyKey)
  } catch (error) {
    if (!(error instanceof OpenallError) || error.code !== 'SLUG_TAKEN' || !aliases?.length) throw error
    progress(null)
    note(oneLine(`${aliases.join(', ')}: taken. ${bundle.title ?? bundle.urls[0]} is created without.`))
    return createWithId(client, bundle, `${idempotencyKey}-without-aliases`)
  }
}

async function createWithId(client: Client, { externalId, ...bundle }: NewBundle, idempotencyKey: string) {
  if (!externalId) return client.createBundle(bundle, { idempotencyKey })
  try {
    return await client.createBundle({ ...bundle, externalId }, { idempotencyKey })
  } catch (error) {
    if (!(error instanceof OpenallError) || error.code !== 'EXTERNAL_ID_TAKEN') throw error
    progress(null)
    note(oneLine(`Another bundle has the ID ${externalId}: ${bundle.title ?? bundle.urls[0]} is created without it.`))
    return client.createBundle(bundle, { idempotencyKey: `${idempotencyKey}-without-id` })
  }
}

function printPlan(plan: ImportPlan): void {
  for (const { title, links } of plan.bundles) {
    print(oneLine(title ?? 'A bundle without a title'))
    for (const { url, metadata } of links) print(`  ${oneLine(url)}  ${oneLine(metadata.note ?? '')}`.trimEnd())
  }
  noteRemarks(
    plan,
    plan.bundles.flatMap(({ links }) => links),
  )
  note(`${count(plan.bundles.length, 'bundle')}. Nothing was saved. Run it without --dry-run to save.`)
}
