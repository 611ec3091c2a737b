import { NOTHING } from '../bundles/content/content.ts'
import { type Content, diff, isSame } from '../bundles/content/diff.ts'
import { count } from '../core/words.ts'
import { type Client, OpenallError } from '../sdk/openall.ts'
import { command, slugIn } from './command.ts'
import { type Difference, printDifferences } from './diff.ts'
import type { Bundle } from './document.ts'
import { changesOf, type EditDocument, inputOf, readDocument, unversionedChanges } from './document.ts'
import { UsageError } from './exit.ts'
import { readText } from './input.ts'
import { note, oneLine, print, printJson, progress } from './output.ts'
import { DRY_RUN } from './row.ts'

/** Maximum bundles in a file: more than anybody’s plan allows, and few enough to compare with the service first. */
const MAX_BUNDLES = 1000

/** A bundle as a file describes it; omitted fields stay as they are. */
interface Wanted {
  slug: string
  document: Partial<EditDocument>
}

/** The planned change of one bundle. */
interface Step {
  slug: string
  status: 'created' | 'changed' | 'unchanged'
  diff: Difference
  /** Null for a bundle that does not exist yet. */
  before: Bundle | null
  send: () => Promise<{ url: string; versionNumber: number }>
}

export const apply = command({
  summary: 'Make bundles match a YAML file: create missing ones, change different ones',
  examples: [
    'openall apply bundles.yaml --dry-run',
    'openall apply bundles.yaml',
    'openall show 4k2mz7qy9p --yaml | openall apply - --server https://openall.example',
  ],
  args: {
    file: {
      type: 'positional',
      description: 'YAML or JSON, one bundle or a list of them in each document; - is standard input',
    },
    'dry-run': DRY_RUN,
  },
  async run({ args, server, client }) {
    const wanted = await readWanted(await readText(args.file), args.file === '-' ? 'standard input' : args.file, server)
    // Everything is compared, and refusals are found, before anything is written.
    const steps: Step[] = []
    for (const [index, one] of wanted.entries()) {
      progress(`${index} of ${count(wanted.length, 'bundle')} compared…`)
      steps.push(await inPlace(one, null, () => stepFor(one, client)))
    }
    progress(null)
    const isDry = args['dry-run']
    const results: object[] = []
    for (const step of steps) {
      const { slug, status, before } = step
      const isSent = !isDry && status !== 'unchanged'
      const at = isSent ? await inPlace(step, { results, total: steps.length, isJson: args.json }, step.send) : before
      results.push({ slug, status, url: at?.url ?? null, versionNumber: at?.versionNumber ?? null, diff: step.diff })
      if (!args.json && status !== 'unchanged') printStep(step, isDry, at?.url)
    }
    if (args.json) return printJson({ dryRun: isDry, results })
    if (steps.every(({ status }) => status === 'unchanged')) return print('Nothing to change.')
    print(summaryOf(steps, isDry))
    if (isDry) note('Nothing was saved. Run it without --dry-run to save.')
  },
})

interface Progress {
  results: object[]
  total: number
  isJson: boolean
}

/** Runs a call for one of several bundles. A failure notes the bundle and the number of changes before; null: there are none. */
async function inPlace<T>({ slug }: { slug: string }, done: Progress | null, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    progress(null)
    if (done?.isJson) printJson({ dryRun: false, results: done.results })
    const said = done === null ? 'nothing was changed' : `${done.results.length} of ${done.total} applied`
    note(oneLine(`Stopped at ${slug}: ${said}. Run it again when this is put right.`))
    if (error instanceof OpenallError && error.code === 'SLUG_TAKEN') {
      note(oneLine(`If ${slug} is a bundle that you deleted: openall restore ${slug}`))
    }
    throw error
  }
}

/** Compares the file's description of a bundle with the service's. @throws OpenallError if the service refuses it. */
async function stepFor({ slug, document }: Wanted, client: Client): Promise<Step> {
  const before = await client.getBundle({ slug }).catch((error: unknown) => {
    if (error instanceof OpenallError && error.status === 404) return null
    throw error
  })
  const own = unversionedChanges(before, document)
  const between = (content: Content, after: Content): Difference => {
    const made = diff(content, after)
    return { ...made, fields: { ...made.fields, ...own } }
  }
  if (before === null) {
    // The service refuses a bundle without URLs.
    const input = { urls: [], ...inputOf(document), slug } as Parameters<Client['createBundle']>[0]
    const { bundle } = await client.createBundle.dryRun(input)
    return { slug, status: 'created', diff: between(NOTHING, bundle), before, send: () => client.createBundle(input) }
  }
  const input = { slug, ...changesOf(document, before) }
  const how = { expectedVersion: before.versionNumber }
  const send = () => client.updateBundle(input, how)
  // The service normalises times and texts, so only it knows whether these are changes.
  const after: Content =
    Object.keys(input).length === 1 ? before : (await client.updateBundle.dryRun(input, how)).bundle
  const isUnchanged = isSame(diff(before, after)) && Object.keys(own).length === 0
  return { slug, status: isUnchanged ? 'unchanged' : 'changed', diff: between(before, after), before, send }
}

function printStep({ slug, status, diff }: Step, isDry: boolean, url: string | undefined): void {
  const done = isDry ? `would be ${status}` : `was ${status}: ${url}`
  print(oneLine(`${slug} ${done}`))
  printDifferences(diff)
}

function summaryOf(steps: readonly Step[], isDry: boolean): string {
  const number = (wanted: Step['status']) => steps.filter(({ status }) => status === wanted).length
  const were = isDry ? 'would be' : 'were'
  return `${number('created')} ${were} created, ${number('changed')} ${were} changed, ${number('unchanged')} are as they should be.`
}

/** The bundles of a file, in order. @throws UsageError. */
async function readWanted(text: string, name: string, server: string): Promise<Wanted[]> {
  const wanted = (await readYaml(text, name)).map((value, index): Wanted => {
    const which = `bundle ${index + 1} of ${name}`
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new UsageError(`${which} must be an object with a slug`)
    }
    const { slug, ...fields } = value as { slug?: unknown }
    if (typeof slug !== 'string') {
      throw new UsageError(`${which} needs a slug${slug === undefined ? '' : ': put it in quotes'}`)
    }
    return { slug: slugIn(slug, server), document: readDocument(fields, `${slug}: `) }
  })
  if (wanted.length === 0) throw new UsageError(`there is no bundle in ${name}`)
  if (wanted.length > MAX_BUNDLES) throw new UsageError(`${name} has more than ${MAX_BUNDLES} bundles: split it`)
  const seen = new Set<string>()
  for (const { slug } of wanted) {
    if (seen.has(slug)) throw new UsageError(`${slug} is in the file twice`)
    seen.add(slug)
  }
  return wanted
}

/** The contents of the documents in a YAML text, with lists flattened. @throws UsageError. */
async function readYaml(text: string, name: string): Promise<unknown[]> {
  // Loaded on demand: other commands need no YAML.
  const { parseAllDocuments } = await import('yaml')
  try {
    return Array.from(parseAllDocuments(text)).flatMap((document) => {
      const [problem] = [...document.errors, ...document.warnings]
      if (problem !== undefined) throw problem
      // Refuses aliases that expand without end.
      return (document.toJS() as unknown) ?? []
    })
  } catch (error) {
    throw new UsageError(`${name} is not YAML: ${(error as Error).message}`)
  }
}
