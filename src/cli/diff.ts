import { type BundleDiff, diff as differences, type Entry, isSame, NO_DIFFERENCES } from '../bundles/content/diff.ts'
import { type Link, plainMarksOf } from '../bundles/links/link-fields.ts'
import type { Client, ProposalInFull } from '../sdk/openall.ts'
import { command, integer, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { minute, oneLine, plain, print, printJson, styled } from './output.ts'
import { SLUG } from './row.ts'

type Version = Awaited<ReturnType<Client['listVersions']>>['versions'][number]

export const diff = command({
  summary: 'Show what changed between two versions of a bundle',
  examples: ['openall diff 4k2mz7qy9p', 'openall diff 4k2mz7qy9p 1 3'],
  args: {
    slug: SLUG,
    from: { type: 'positional', optional: true, description: 'A version; default: the one before the latest' },
    to: { type: 'positional', optional: true, description: 'Another version; default: the latest' },
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

/** A difference, with fields that versions may not have. */
export type Difference = Omit<BundleDiff, 'fields'> & { fields: Record<string, { from: string; to: string }> }

/** Prints the differences between two states of a bundle. */
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

/** Prints the changes in a proposal, and their conflicts with the newest version. */
export function printProposal({ baseVersion, state, reason, note, difference, conflicts }: ProposalInFull): void {
  print(styled('dim', `${state}, based on version ${baseVersion}`))
  if (reason !== null) print(plain(reason))
  if (note !== undefined) print(plain(`Note: ${note}`))
  printDifferences(difference as unknown as BundleDiff)
  for (const { path, newest, proposed } of conflicts) {
    const said = `now ${oneLine(newest ?? 'none')}, suggested ${oneLine(proposed ?? 'none')}`
    print(styled('yellow', `! ${oneLine(path)}: ${said}`))
  }
}
