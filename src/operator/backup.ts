import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Copy, copyStore, databaseOfDump, isSecretOf, restoreStore, SECRET, verifyCopy } from '../../db/backup.ts'
import { type Contents, contentsOf, lastChangeIn } from '../../db/instance.ts'
import { heldBy } from '../../db/scheduled-backup.ts'
import { UnusableCopy } from '../../db/unusable-copy.ts'
import { databaseFile } from '../config/config.ts'
import { fileFault, type Use } from '../config/files.ts'
import { readSetting } from '../config/settings.ts'
import { iso } from '../core/time.ts'
import { count } from '../core/words.ts'

type Env = Record<string, string | undefined>

/**
 * Backs up the file store of DATABASE_URL and its secret while services run. Anyone with the backup can sign in as
 * anyone: protect it like the store.
 * @throws UnusableCopy.
 */
export function backUp(env: Env, to: string): Promise<Copy> {
  const store = storeOf(env)
  requireUsable(to, 'write file')
  return copyStore(store, resolve(to))
}

/** A backup and its contents. */
export interface Found extends Pick<Contents, 'bundles' | 'accounts'> {
  file: string
  /** When a bundle was last changed or an account made; null if never. */
  changedAt: string | null
  /** The database's id, shared by all its backups; null if its version gave it none. */
  instance: string | null
}

/** The backups that `restore` found in a folder. */
interface Folder {
  /** The readable ones: first the one to restore, then others of the same database. */
  backups: Found[]
  /** The unreadable ones, with the reasons. */
  unreadable: { file: string; why: string }[]
}

/**
 * Reads every backup in a folder, or a single one. The first is the one to restore: from the database whose backups hold the
 * most, the one with the latest change. So a backup of a new, empty database, however recent, never comes before those that it
 * should be restored from.
 * @throws UnusableCopy if there is none, or they belong to another user.
 */
export function listBackups(path: string): Folder {
  const found: Found[] = []
  const unreadable: Folder['unreadable'] = []
  for (const file of copiesAt(path)) {
    requireUsable(file, 'read file')
    try {
      const { id, bundles, accounts } = contentsOf(file)
      found.push({ file, bundles, accounts, changedAt: iso(lastChangeIn(file)), instance: id })
    } catch (error) {
      unreadable.push({ file, why: error instanceof Error ? error.message : String(error) })
    }
  }
  const most = new Map<string | null, number>()
  for (const backup of found) most.set(backup.instance, Math.max(most.get(backup.instance) ?? 0, heldBy(backup)))
  const rank = (backup: Found) => [most.get(backup.instance) ?? 0, Date.parse(backup.changedAt ?? iso(0))] as const
  const backups = found.sort((one, other) => {
    const [[ones, oneAt], [others, otherAt]] = [rank(one), rank(other)]
    return others - ones || otherAt - oneAt || (one.file < other.file ? 1 : -1)
  })
  return { backups, unreadable }
}

/** One line about a backup, for people. */
export function sayFound({ file, bundles, accounts, changedAt }: Found): string {
  const change = changedAt === null ? 'never changed' : `last change ${changedAt.slice(0, 16).replace('T', ' ')} UTC`
  return `${file}: ${count(bundles, 'bundle')}, ${count(accounts, 'account')}, ${change}`
}

/** A restored store, and the backup that it came from. */
export type Restored = Copy & { from: Found }

/** The suffix of a dump from a libSQL server. */
const DUMP = '.sql'

/**
 * Restores from any argument of `openall-admin restore`: a backup, a folder of them, or the dump of a libSQL server, which is
 * first turned into a file.
 * @throws UnusableCopy.
 */
export async function restore(env: Env, path: string, isSure: boolean): Promise<Restored> {
  if (!path.endsWith(DUMP)) return restoreBackup(env, path, isSure)
  requireUsable(path, 'read file')
  const store = storeOf(env)
  requireUsable(store, 'write file')
  const made = `${store}.${process.pid}.of-dump.db`
  try {
    await databaseOfDump(resolve(path), made)
    const restored = await restoreBackup(env, made, isSure)
    return { ...restored, from: { ...restored.from, file: path } }
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(made + end, { force: true })
  }
}

/**
 * Restores a backup and its secret to DATABASE_URL, where no store may exist yet; from a folder, the one that holds the most (see
 * `listBackups`). The service must be stopped.
 * @param isSure whether to continue if the choice may be wrong: the backup is empty, holds far less than another, another cannot
 * be read, or the secret is not its own.
 * @throws UnusableCopy.
 */
async function restoreBackup(env: Env, path: string, isSure: boolean): Promise<Restored> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  const { backups, unreadable } = listBackups(path)
  const [from] = backups
  // Gives a better error for a single file.
  if (from === undefined && !isFolder) await restoreStore(resolve(path), storeOf(env))
  if (from === undefined) throw new UnusableCopy(`no backup in ${path} can be read: ${sayUnreadable(unreadable)}`)
  const secret = secretFor(env, from.file)
  const doubts = [
    ...(from.bundles === 0 ? ['it holds 0 bundles'] : []),
    ...backups
      .filter(({ bundles }) => bundles > 2 * from.bundles)
      .map((other) => `another holds far more (${sayFound(other)})`),
    ...(unreadable.length === 0 ? [] : [`not all can be read (${sayUnreadable(unreadable)})`]),
    ...(isSecretOf(from.file, secret.text)
      ? []
      : [`${secret.name} is not the secret that it was used with: everyone would be signed out`]),
  ]
  const store = storeOf(env)
  requireUsable(store, 'write file')
  const copy = await restoreStore(from.file, store, () => {
    if (doubts.length === 0 || isSure) return
    throw new UnusableCopy(
      `${sayFound(from)}. Nothing was restored, because ${doubts.join('; ')}. Name the file that you want, or add --yes`,
    )
  })
  return { ...copy, from }
}

const sayUnreadable = (unreadable: Folder['unreadable']) =>
  unreadable.map(({ file, why }) => `${file}: ${why}`).join('; ')

/** The secret that the service would use with a restored copy. */
function secretFor(env: Env, copy: string): { name: string; text: string } {
  const set = readSetting(env, 'SERVICE_SECRET')
  if (set !== undefined) return { name: 'SERVICE_SECRET', text: set }
  const name = copy + SECRET
  // Without it the service would create another: everybody would be signed out, and nothing encrypted could be read.
  if (!existsSync(name))
    throw new UnusableCopy(
      `${name} is missing: put it next to the copy, or set SERVICE_SECRET (if it is lost, to a new one, with --yes: everyone is signed out)`,
    )
  requireUsable(name, 'read file')
  return { name, text: readFileSync(name, 'utf8').trim() }
}

/** @throws UnusableCopy if the user of this process may not use a path. */
function requireUsable(path: string, use: Use): void {
  const fault = fileFault(path, use)
  if (fault !== null && !(use === 'read file' && !existsSync(path))) throw new UnusableCopy(fault)
}

/**
 * Compares a backup, or every backup in a folder, with its checksums.
 * @returns the unchanged ones.
 * @throws UnusableCopy that names each changed file.
 */
export async function verify(path: string): Promise<{ intact: string[] }> {
  const files = copiesAt(path)
  const faults: string[] = []
  for (const file of files) {
    await verifyCopy(file).catch((error: unknown) => {
      if (!(error instanceof UnusableCopy)) throw error
      faults.push(error.message)
    })
  }
  if (faults.length > 0) throw new UnusableCopy(faults.join('\n'))
  return { intact: files }
}

/** A backup by its path, or all in a folder. */
function copiesAt(path: string): string[] {
  const at = resolve(path)
  if (!(statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false)) return [at]
  const names = readdirSync(at).filter((name) => name.endsWith('.db'))
  if (names.length === 0) throw new UnusableCopy(`there is no backup in ${at}`)
  return names.sort().map((name) => join(at, name))
}

function storeOf(env: Env): string {
  const file = databaseFile(readSetting(env, 'DATABASE_URL'))
  if (file !== null) return file
  throw new UnusableCopy('DATABASE_URL is a server: back it up there (docs/self-hosting.md says how)')
}
