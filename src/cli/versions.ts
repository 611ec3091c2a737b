import { type BundleDiff, diff as differences, isSame, NO_DIFFERENCES } from '../bundles/diff.ts'
import type { Link } from '../bundles/link-fields.ts'
import { plainMarksOf } from '../bundles/link-marks.ts'
import type { Entry } from '../bundles/list-diff.ts'
import type { Client } from '../sdk/openall.ts'
import { command, integer, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { commandFor, SLUG } from './operation-command.ts'
import { minute, oneLine, plain, print, printJson, printTable, styled } from './output.ts'

type Version = Awaited<ReturnType<Client['listVersions']>>['versions'][number]

export const versions = commandFor('list_versions', {
  summary: 'List every version of a bundle, newest first',
  examples: ['openall versions 4k2mz7qy9p'],
  say({ versions }) {
    const rows = versions.map(({ urls, title, versionNumber, editedAt, ...by }) => [
      String(versionNumber),
      minute(editedAt),
      editorOf(by),
      String(urls.length),
      oneLine(title ?? ''),
    ])
    printTable(['VERSION', 'EDITED (UTC)', 'BY', 'TABS', 'TITLE'], rows)
  },
})

function editorOf({ editedByIdentityUserId, proposedBy }: Pick<Version, 'editedByIdentityUserId' | 'proposedBy'>) {
  const editor = editedByIdentityUserId ?? 'no account'
  return proposedBy === null || proposedBy === editor ? editor : `${proposedBy}, accepted by ${editor}`
}

export const diff = command({
  summary: 'Show what changed between two versions of a bundle',
  examples: ['openall diff 4k2mz7qy9p', 'openall diff 4k2mz7qy9p 1 3'],
  args: {
    slug: SLUG,
    from: { type: 'positional', required: false, description: 'A version; default: the one before the latest' },
    to: { type: 'positional', required: false, description: 'Another version; default: the latest' },
  },
  async run({ args, server, client }) {
    const { versions } = await client.listVersions({ slug: slugIn(args.slug, server) })
    const find = (text: string) => numbered(versions, integer(text, 'a version'))
    const to = args.to === undefined ? versions[0] : find(args.to)
    const from = args.from === undefined ? versions[1] : find(args.from)
    if (to === undefined || from === undefined) throw new UsageError('this bundle has only one version')
    const changed = differences(from, to)
    if (args.json) return printJson({ from: from.versionNumber, to: to.versionNumber, ...changed })
    print(styled('dim', `from version ${from.versionNumber} (${minute(from.editedAt)} UTC)`))
    print(styled('dim', `  to version ${to.versionNumber} (${minute(to.editedAt)} UTC)`))
    if (isSame(changed)) return print(NO_DIFFERENCES)
    printDifferences(changed)
  },
})

function numbered(versions: readonly Version[], number: number): Version {
  const found = versions.find(({ versionNumber }) => versionNumber === number)
  if (found === undefined)
    throw new UsageError(`there is no version ${number}: this bundle has versions 1 to ${versions.length}`)
  return found
}

/** A difference, whose fields may be others than those of versions. */
export type Difference = Omit<BundleDiff, 'fields'> & { fields: Record<string, { from: string; to: string }> }

/** Prints what changed between two states of a bundle. */
export function printDifferences({ fields, links, variables, rules }: Difference): void {
  for (const [field, { from, to }] of Object.entries(fields)) {
    if (from !== '') printRemoved(`${field}: ${from}`)
    if (to !== '') printAdded(`${field}: ${to}`)
  }
  for (const entry of links) {
    if (entry.kind === 'added') printAdded(lineOf(entry.value))
    else if (entry.kind === 'removed') printRemoved(lineOf(entry.value))
    else {
      const { isMoved, from, to, changes, value } = entry
      const was = { ...value, ...Object.fromEntries(Object.entries(changes).map(([field, { from }]) => [field, from])) }
      if (Object.keys(changes).length > 0) {
        printRemoved(lineOf(was))
        printAdded(lineOf(value))
      }
      if (isMoved) print(styled('yellow', `~ ${oneLine(value.url)} moved from ${from + 1} to ${to + 1}`))
    }
  }
  for (const entry of variables) printNamed(`variable ${entry.value.name}`, entry)
  for (const entry of rules) printNamed(`rule ${entry.value.name}`, entry)
}

function printNamed<T extends object>(name: string, entry: Entry<T>): void {
  if (entry.kind === 'added') printAdded(name)
  else if (entry.kind === 'removed') printRemoved(name)
  else {
    const what = [...Object.keys(entry.changes), ...(entry.isMoved ? ['position'] : [])]
    print(styled('yellow', `~ ${oneLine(name)}: changed ${what.join(', ')}`))
  }
}

function printAdded(text: string): void {
  for (const line of text.split('\n')) print(styled('green', `+ ${plain(line)}`))
}

function printRemoved(text: string): void {
  for (const line of text.split('\n')) print(styled('red', `- ${plain(line)}`))
}

/** A URL with its metadata on one line. */
function lineOf(link: Link): string {
  const { url, note, section, tags } = link
  const extras = [
    note && `"${note}"`,
    ...tags.map((tag) => `#${tag}`),
    section && `under "${section}"`,
    ...plainMarksOf(link).map((mark) => `(${mark})`),
  ]
  return oneLine([url, ...extras].filter((piece) => piece !== '').join(' '))
}
