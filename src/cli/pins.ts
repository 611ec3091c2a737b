import { SLUG } from './bundles.ts'
import { command, slugIn } from './command.ts'
import { oneLine, print, printJson } from './output.ts'

export const pin = command({
  name: 'pin',
  summary: 'Pin a bundle: it comes first in your list',
  examples: ['openall pin 4k2mz7qy9p'],
  args: { slug: SLUG },
  async run({ args, server, client }) {
    const pinned = await client.pinBundle({ slug: slugIn(args.slug, server) })
    return args.json
      ? printJson(pinned)
      : print(oneLine(`Pinned ${pinned.slug}. To undo: openall unpin ${pinned.slug}`))
  },
})

export const unpin = command({
  name: 'unpin',
  summary: 'Unpin a bundle',
  examples: ['openall unpin 4k2mz7qy9p'],
  args: { slug: SLUG },
  async run({ args, server, client }) {
    const unpinned = await client.unpinBundle({ slug: slugIn(args.slug, server) })
    return args.json ? printJson(unpinned) : print(oneLine(`Unpinned ${unpinned.slug}.`))
  },
})
