import { CONTENT } from '../bundles/content.ts'
import type { Policy } from '../sdk/openall.ts'
import { printCreated } from './bundles.ts'
import { OWN_FLAGS, ownIn, valueFlags, valuesIn } from './content-flags.ts'
import { UsageError } from './exit.ts'
import { readJson, readStdin, readText } from './input.ts'
import { readListed, typedLinks } from './lists.ts'
import { commandFor } from './operation-command.ts'
import { PASSWORD_FILE, passwordIn } from './password.ts'

export const create = commandFor('create_bundle', {
  summary: 'Create a bundle of up to 25 URLs and print its link',
  examples: [
    'openall create https://example.com/plan https://example.com/status --title "Launch day"',
    'openall create --file bookmarks.html',
    'pbpaste | openall create --title "My tabs"',
    'openall create example.com --json | jq -r .slug',
  ],
  args: {
    url: {
      type: 'positional',
      required: false,
      valueHint: '…',
      description: 'The URLs; read from standard input if omitted',
    },
    file: {
      type: 'string',
      alias: 'f',
      valueHint: 'path',
      description: 'Read the URLs from a list or bookmarks file; - is standard input',
    },
    ...valueFlags((name) => CONTENT[name].help),
    ...PASSWORD_FILE,
    ...OWN_FLAGS,
    slug: { type: 'string', description: 'The end of the link; generated if omitted' },
    policy: { type: 'string', valueHint: 'path', description: 'A JSON file with the rules' },
    email: {
      type: 'string',
      valueHint: 'address',
      description: 'Where to send the private edit link, without a key',
    },
    'idempotency-key': {
      type: 'string',
      valueHint: 'text',
      description: 'With the same key, creates only one bundle in 24 hours',
    },
  },
  rest: 'any',
  async input({ args, more, lists }) {
    const typed = args.url === undefined ? [] : [args.url, ...more]
    if (typed.length > 0 && args.file !== undefined) throw new UsageError('give URLs or --file, not both')
    const { urls, urlMetadata, ...called } =
      typed.length > 0 ? typedLinks(typed) : await readListed(await readList(args.file))
    const policy = args.policy === undefined ? undefined : ((await readJson(args.policy)) as Policy)
    return {
      urls,
      urlMetadata,
      ...called,
      ...valuesIn(args),
      ...ownIn({ ...args, metadata: lists.metadata ?? [] }, null),
      ...(await passwordIn(args['password-file'], args.access === 'password')),
      ...(args.slug === undefined ? {} : { slug: args.slug }),
      ...(args.email === undefined ? {} : { email: args.email }),
      ...(policy === undefined ? {} : { resolutionPolicy: policy }),
    }
  },
  say: printCreated,
})

async function readList(file: string | undefined): Promise<string> {
  if (file !== undefined) return readText(file)
  if (process.stdin.isTTY) throw new UsageError('give URLs or --file, or pipe a list to standard input')
  return readStdin()
}
