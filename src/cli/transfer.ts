import { SLUG } from './bundles.ts'
import { command, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { oneLine, print, printJson } from './output.ts'

export const transfer = command({
  name: 'transfer',
  summary: 'Move a bundle into an organisation',
  examples: ['openall transfer 4k2mz7qy9p --to o_27pd'],
  args: {
    slug: SLUG,
    to: {
      type: 'string',
      valueHint: 'organisation',
      description: 'Who gets it: the id of an organisation, from the address of its page',
    },
  },
  async run({ args, server, client }) {
    if (args.to === undefined) throw new UsageError('--to is missing: the id of an organisation')
    const to = { type: 'organization', organizationId: args.to } as const
    const bundle = await client.transferBundle({ slug: slugIn(args.slug, server), to })
    if (args.json) return printJson(bundle)
    print(oneLine(`${bundle.slug} belongs to the organisation now. Its link stays ${bundle.url}`))
  },
})
