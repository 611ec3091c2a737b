import { CONTENT } from '../bundles/content/content.ts'
import type { Policy } from '../sdk/openall.ts'
import type { Body } from '../sdk/signatures.ts'
import { integer } from './command.ts'
import { CHANGES, UNVERSIONED_FLAGS, unversionedIn, valueFlags, valuesIn } from './content-flags.ts'
import { inputOf } from './document.ts'
import { replacedBy } from './edit.ts'
import { UsageError } from './exit.ts'
import { readJson, readStdin, readText } from './input.ts'
import { readListed, typedLinks } from './lists.ts'
import { note, oneLine, print } from './output.ts'
import { PASSWORD_FILE, passwordIn } from './password.ts'
import { row } from './row.ts'

export const create = row('create_bundle', {
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
      optional: true,
      valueHint: '…',
      description: 'The URLs; read from standard input if omitted',
    },
    file: {
      alias: 'f',
      valueHint: 'path',
      description: 'Read the URLs from a list or bookmarks file; - is standard input',
    },
    ...valueFlags((name) => CONTENT[name].help),
    ...PASSWORD_FILE,
    ...UNVERSIONED_FLAGS,
    slug: { field: 'slug', description: 'The end of the link; generated if omitted' },
    policy: { valueHint: 'path', description: 'A JSON file with the rules' },
    email: { field: 'email', valueHint: 'address', description: 'Where to send the private edit link, without a key' },
    'idempotency-key': { valueHint: 'text', description: 'With the same key, creates only one bundle in 24 hours' },
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
      ...unversionedIn({ ...args, metadata: lists.metadata ?? [], alias: lists.alias ?? [] }, null),
      ...(await passwordIn(args['password-file'], args.access === 'password')),
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

export const duplicate = row('duplicate_bundle', {
  summary: 'Copy a bundle and print the copy’s link: your own in full, another’s as you see it',
  examples: [
    'openall duplicate 4k2mz7qy9p --title "Launch day, second edition"',
    'openall duplicate 4k2mz7qy9p --policy none --dry-run',
  ],
  args: {
    ...CHANGES,
    ...PASSWORD_FILE,
    'new-slug': { field: 'newSlug', description: 'The end of the copy’s link; generated if omitted' },
    'shift-days': {
      valueHint: 'number',
      description: 'How many days later its times are, on this computer’s calendar; --shift-days=-7 for earlier',
    },
    'idempotency-key': { valueHint: 'text', description: 'With the same key, creates only one copy in 24 hours' },
  },
  async input({ args }) {
    const { 'shift-days': days } = args
    return {
      ...inputOf(await replacedBy(args)),
      ...(await passwordIn(args['password-file'], false)),
      ...(days === undefined
        ? {}
        : { shiftDays: daysIn(days), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    }
  },
  say: printCreated,
})

function daysIn(text: string): number {
  const days = integer(text.replace(/^[-+]/, ''), '--shift-days')
  return text.startsWith('-') ? -days : days
}

/** Prints the link of a new bundle, and how to claim it. */
function printCreated(created: Body<'create_bundle'>): void {
  print(created.url)
  for (const { name } of created.variables ?? []) note(`{${name}} is filled in by whoever opens it.`)
  if (created.claimToken === undefined) return
  note(`Nobody owns this bundle yet. Until ${created.claimExpiresAt} it can be claimed, once:`)
  note(`  openall claim ${created.claimToken}`)
  note(oneLine(`  or open ${created.claimUrl}`))
}
