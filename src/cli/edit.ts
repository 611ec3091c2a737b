import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { command, slugIn } from './command.ts'
import { CHANGES, readPolicy, UNVERSIONED_FLAGS, unversionedIn, type ValueFlags, valuesIn } from './content-flags.ts'
import type { Bundle } from './document.ts'
import { changesOf, documentOf, type EditDocument, ownMetadata, readDocument, tabsOf } from './document.ts'
import { UsageError } from './exit.ts'
import { readJson, readText } from './input.ts'
import { readListed, typedLinks } from './lists.ts'
import { note, oneLine, print, printJson } from './output.ts'
import { PASSWORD_FILE, passwordIn } from './password.ts'
import { DRY_RUN, expectedVersionIn, IF_VERSION, printDryRun, SLUG } from './row.ts'

/** Flags that change single URLs of a bundle. */
export const LINK_CHANGES = {
  add: { multiple: true, valueHint: 'url', description: 'Add a URL at the end' },
  remove: { multiple: true, valueHint: 'url', description: 'Remove a URL, given as such or by its number' },
} as const

export const edit = command({
  summary: 'Edit a bundle with flags or in your editor; every edit is a new version',
  examples: [
    'openall edit 4k2mz7qy9p',
    'openall edit 4k2mz7qy9p --title "Launch day, moved" --add https://example.com/chat',
    'openall edit 4k2mz7qy9p --remove 3 --policy rules.json',
  ],
  args: {
    slug: SLUG,
    ...CHANGES,
    ...PASSWORD_FILE,
    ...UNVERSIONED_FLAGS,
    ...LINK_CHANGES,
    document: {
      valueHint: 'path',
      description: 'Use a file in the editor’s format instead of an editor; - is standard input',
    },
    'if-version': IF_VERSION,
    'dry-run': DRY_RUN,
  },
  async run({ args, lists, server, client }) {
    const slug = slugIn(args.slug, server)
    const { add = [], remove = [] } = lists
    const bundle = await client.getBundle({ slug })
    const content = await documentFrom({ ...args, add, remove }, bundle)
    const own = unversionedIn(
      { ...args, metadata: lists.metadata ?? [], alias: lists.alias ?? [] },
      ownMetadata(bundle),
    )
    const hasOwn = Object.keys(own).length > 0
    const flags = content === null && !hasOwn ? null : { ...content, ...own }
    // A password alone is a change too, and needs no editor.
    const changed = flags === null && args['password-file'] !== undefined ? {} : flags
    const single = hasOwn ? null : onlyLinks({ ...args, add, remove }, bundle)
    // Any other edit is based on this version, so it must not overwrite someone else's later one.
    const based = single === null ? { expectedVersion: bundle.versionNumber } : {}
    const { expectedVersion } = { expectedVersion: undefined, ...based, ...expectedVersionIn(args['if-version']) }
    const isProtected = args.access === 'password' && bundle.access !== 'password'
    const password = await passwordIn(args['password-file'], isProtected)
    const changesIn = (document: Partial<EditDocument>) => ({
      ...(single ?? changesOf(document, bundle)),
      ...password,
    })
    const send = async (document: Partial<EditDocument>) => {
      const changes = changesIn(document)
      if (Object.keys(changes).length === 0) return null
      return client.updateBundle({ slug, ...changes }, { expectedVersion })
    }
    if (args['dry-run']) {
      if (changed === null) throw new UsageError('--dry-run needs flags that say what to change')
      const changes = changesIn(changed)
      if (Object.keys(changes).length === 0) return print('Nothing would change.')
      return printDryRun(
        await client.updateBundle.dryRun({ slug, ...changes }, { expectedVersion }),
        args.json === true,
      )
    }
    const edited =
      changed === null ? await inEditor(documentOf(bundle), { slug, expectedVersion, send }) : await send(changed)
    if (args.json) return printJson(edited ?? bundle)
    print(edited === null ? 'Nothing has changed.' : oneLine(`${edited.url} is at version ${edited.versionNumber}.`))
  },
})

export const propose = command({
  summary: 'Suggest an edit, which an editor accepts or rejects',
  examples: [
    'openall propose 4k2mz7qy9p --title "Launch week" --reason "It takes until Friday"',
    'openall propose 4k2mz7qy9p --add https://example.com/chat',
  ],
  args: {
    slug: SLUG,
    ...CHANGES,
    ...LINK_CHANGES,
    reason: { alias: 'r', valueHint: 'text', description: 'Why; shown to the editors who decide' },
  },
  async run({ args, lists, server, client }) {
    const bundle = await client.getBundle({ slug: slugIn(args.slug, server) })
    const { add = [], remove = [] } = lists
    const changed = await documentFrom({ ...args, add, remove }, bundle)
    const changes = changed === null ? {} : changesOf(changed, bundle)
    if (Object.keys(changes).length === 0) throw new UsageError('no flag names a change: see the flags with --help')
    const { slug, versionNumber: baseVersion } = bundle
    const { reason } = args
    const made = await client.proposeEdit({
      slug,
      baseVersion,
      ...changes,
      ...(reason === undefined ? {} : { reason }),
    })
    if (args.json) return printJson(made)
    print(`Suggestion ${made.id} waits for an editor of ${oneLine(bundle.url)}.`)
  },
})

interface EditFlags extends ValueFlags {
  add: string[]
  remove: string[]
  list?: string | undefined
  policy?: string | undefined
  document?: string | undefined
}

/** The fields that the flags replace. @throws UsageError. */
export async function replacedBy({ list, policy, ...values }: Omit<EditFlags, 'add' | 'remove'>) {
  const made: Partial<EditDocument> = valuesIn(values)
  if (policy !== undefined) made.resolutionPolicy = await readPolicy(policy)
  if (list !== undefined) made.tabs = tabsOf(await readListed(await readText(list)))
  return made
}

/** The document that the flags describe; null without flags. @throws UsageError. */
export async function documentFrom(flags: EditFlags, bundle: Bundle): Promise<Partial<EditDocument> | null> {
  const { add, remove, document } = flags
  const made: Partial<EditDocument> = document === undefined ? {} : readDocument(await readJson(document))
  Object.assign(made, await replacedBy(flags))
  if (add.length > 0 || remove.length > 0) {
    const { tabs } = { ...documentOf(bundle), ...made }
    const gone = remove.map((text) => placeOf(text, tabs))
    made.tabs = [
      ...tabs.filter((_, index) => !gone.includes(index)),
      ...(add.length > 0 ? tabsOf(typedLinks(add)) : []),
    ]
  }
  return Object.keys(made).length === 0 ? null : made
}

/** The changes by flags that only add and remove links by URL, which apply to any version; else null. */
function onlyLinks({ add, remove, list, policy, document, ...flags }: EditFlags, { urls }: Bundle) {
  const isMore = [list, policy, document, ...Object.values(valuesIn(flags))].some((value) => value !== undefined)
  if (isMore || add.length + remove.length === 0 || !remove.every((text) => urls.includes(text))) return null
  const added = add.length > 0 ? tabsOf(typedLinks(add)) : []
  const left = urls.filter((url) => !remove.includes(url))
  // A URL cannot tell which of two equal links is meant.
  const isOnce = (list: readonly string[]) => new Set(list).size === list.length
  if (!isOnce(urls) || !isOnce([...left, ...added.map(({ url }) => url)])) return null
  return {
    ...(added.length > 0 ? { addUrls: added } : {}),
    ...(remove.length > 0 ? { removeUrls: [...new Set(remove)] } : {}),
  }
}

function placeOf(text: string, tabs: EditDocument['tabs']): number {
  const at = /^\d+$/.test(text) ? Number(text) - 1 : tabs.findIndex(({ url }) => url === text)
  if (tabs[at] === undefined) throw new UsageError(`there is no URL ${text} to remove`)
  return at
}

interface Editing<T> {
  slug: string
  expectedVersion: number | undefined
  send(document: Partial<EditDocument>): Promise<T>
}

/** Opens a document in the editor and sends the result. If that fails, the edited file is kept. */
async function inEditor<T>(document: EditDocument, { slug, expectedVersion, send }: Editing<T>): Promise<T> {
  const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'bundle.json')
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 })
  try {
    await runEditor(file)
    const sent = await send(readDocument(await readJson(file)))
    rmSync(dirname(file), { recursive: true })
    return sent
  } catch (error) {
    if (readFileSync(file, 'utf8') === `${JSON.stringify(document, null, 2)}\n`)
      rmSync(dirname(file), { recursive: true })
    else {
      note(`Your edit is saved in ${file}. Fix it, then send it with:`)
      note(`  openall edit ${slug} --document ${file} --if-version ${expectedVersion}`)
    }
    throw error
  }
}

/** Runs the editor through the shell, because its variable may contain flags. @throws UsageError. */
function runEditor(file: string): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi')
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawn('sh', ['-c', `${editor} "$1"`, 'openall', file], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new UsageError(`the editor (${editor}) exited with ${code}: nothing was sent`)),
    )
  })
}
