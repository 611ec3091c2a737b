import { SLUG } from './bundles.ts'
import { command, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { oneLine, print, printJson } from './output.ts'

type Receiver = { type: 'organization'; organizationId: string } | { type: 'user'; userId: string }

export const transfer = command({
  name: 'transfer',
  summary: 'Move a bundle into an organisation, or take it out of one',
  examples: ['openall transfer 4k2mz7qy9p --to o_27pd', 'openall transfer 4k2mz7qy9p --to me'],
  args: {
    slug: SLUG,
    to: {
      type: 'string',
      valueHint: 'organisation',
      description: 'Who gets it: the id of an organisation, from the address of its page, or me',
    },
  },
  async run({ args, server, client }) {
    if (args.to === undefined) throw new UsageError('--to is missing: the id of an organisation, or me')
    const me = args.to === 'me' ? (await client.whoAmI()).subject : null
    if (me?.type === 'organization') {
      throw new UsageError('--to me needs a key of your own; this one acts for an organisation')
    }
    const to: Receiver = me ?? { type: 'organization', organizationId: args.to }
    const bundle = await client.transferBundle({ slug: slugIn(args.slug, server), to })
    if (args.json) return printJson(bundle)
    print(oneLine(`${bundle.url} belongs to ${to.type === 'user' ? 'you' : to.organizationId} now.`))
  },
})
