import { existsSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'libsql'
import { makeFolderOf } from '../src/config/files.ts'
import { CHECKSUMS, type Copy, copyStore, SECRET } from './backup.ts'
import { type Contents, contentsOf } from './instance.ts'

/** Where scheduled backups go, how often they are made, and how many are kept. */
export interface BackupPlan {
  folder: string
  everyMs: number
  /** How many of the newest to keep. */
  keep: number
}

/** Backups are named by UTC time; files with other names are never removed. */
const NAME = /^openall-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db/
/** The temporary file left by an interrupted backup. */
const PARTIAL = /\.partial(?:-\w+)?$/

function nameOf(time: number): string {
  return `openall-${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
}

function timeOf(name: string): number | null {
  const [found, day, hour, minute, second] = NAME.exec(name) ?? []
  return found === name ? Date.parse(`${day}T${hour}:${minute}:${second}Z`) : null
}

/** Whether a backup was made while the clock was wrong, as 0 or 1. Sorted by name, such a backup would displace the newest. */
function isFromFuture(name: string, now: number): number {
  return Number((timeOf(name) ?? 0) > now)
}

/** When the newest backup in a folder was made, in milliseconds since 1970; null if there is none. */
export function lastBackupAt(folder: string, now: number): number | null {
  const times = (existsSync(folder) ? readdirSync(folder) : []).map(timeOf).filter((at) => at !== null && at <= now)
  return times.length === 0 ? null : Math.max(...(times as number[]))
}

/**
 * Backs up a file store if the newest backup is older than planned, and removes surplus backups. Only one of several processes
 * does so. Blocks its thread while copying; `backUpInWorker` does not.
 * @returns null if none is due, or another process is making it.
 * @throws UnusableCopy; the driver's error.
 */
export async function backUpIfDue(store: string, { folder, everyMs, keep }: BackupPlan): Promise<Copy | null> {
  // Someone may have removed the folder since the start.
  makeFolderOf(join(folder, '.lock'))
  const lock = takeLock(join(folder, '.lock'))
  if (lock === null) return null
  try {
    const now = Date.now()
    const last = lastBackupAt(folder, now)
    if (last !== null && now - last < everyMs) return null
    removePartials(folder)
    const copy = await copyStore(store, join(folder, nameOf(now)))
    const names = readdirSync(folder).filter((name) => timeOf(name) !== null)
    const newestFirst = names.sort(
      (one, other) => isFromFuture(one, now) - isFromFuture(other, now) || (one < other ? 1 : -1),
    )
    const whose = ownersIn(folder, contentsOf(store))
    const own = newestFirst.filter((name) => whose(name) === 'own')
    // A new database must not displace the backups of another one. Only empty ones go, because every start might create another.
    const empty = newestFirst.filter((name) => whose(name) === 'empty')
    for (const name of [...own.slice(keep), ...empty.slice(keep)])
      remove(folder, [name, name + SECRET, name + CHECKSUMS])
    return copy
  } finally {
    lock.close()
  }
}

/** A backup of another database than the current one, with its contents. */
export interface Stranger {
  file: string
  bundles: number
  accounts: number
}

/**
 * Finds the backup of another database that holds the most, among those made before this database was; null if there is none. It
 * suggests that this database has replaced one that was to be restored.
 */
export function strangerIn(folder: string, store: string): Stranger | null {
  const own = contentsOf(store)
  const whose = ownersIn(folder, own)
  const found = readdirSync(folder).flatMap((name): Stranger[] => {
    const at = timeOf(name)
    if (at === null || own.createdAt === null || at > own.createdAt || whose(name) !== 'other') return []
    const { bundles, accounts } = contentsOf(join(folder, name))
    return [{ file: join(folder, name), bundles, accounts }]
  })
  return found.sort((one, other) => heldBy(other) - heldBy(one))[0] ?? null
}

/** How much a database or a backup holds, for comparison. */
export function heldBy({ bundles, accounts }: Pick<Contents, 'bundles' | 'accounts'>): number {
  return bundles + accounts
}

/**
 * Classifies the backups in a folder: of this database, or of another one, with or without contents. Unreadable ones count as its
 * own.
 */
function ownersIn(folder: string, own: Contents): (name: string) => 'own' | 'other' | 'empty' {
  return (name) => {
    try {
      const contents = contentsOf(join(folder, name))
      if (contents.id === own.id) return 'own'
      return heldBy(contents) > 0 ? 'other' : 'empty'
    } catch {
      return 'own'
    }
  }
}

/** The worker's input and result. */
export interface BackupTask {
  store: string
  plan: BackupPlan
}
/** The copy that was made, if one was due, and the backup of another database in the folder. */
export interface BackedUp {
  copy: Copy | null
  stranger: Stranger | null
}
export type BackupResult = BackedUp | { failure: string }

/** Runs `backUpIfDue` and `strangerIn` in a thread of their own. Rejects with the reason if either fails. */
export function backUpInWorker(store: string, plan: BackupPlan): Promise<BackedUp> {
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
    workerData: { store, plan } satisfies BackupTask,
  })
  // Shutdown does not wait for it: the next backup removes an unfinished one.
  worker.unref()
  return new Promise<BackedUp>((resolve, reject) => {
    worker.once('message', (result: BackupResult) => {
      if ('copy' in result) resolve(result)
      else reject(new Error(result.failure))
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the backup ended without a result')))
  }).finally(() => void worker.terminate())
}

/** A lock that is released when its holder ends, even by a crash; null while another process has it. */
function takeLock(file: string): { close(): void } | null {
  const database = new Database(file)
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
    throw error
  }
}

/** Removes the remains of interrupted backups. */
function removePartials(folder: string): void {
  const names = readdirSync(folder).filter((name) => NAME.test(name))
  const isWhole = (name: string) => names.includes(name.slice(0, name.lastIndexOf('.')))
  remove(
    folder,
    names.filter(
      (name) => PARTIAL.test(name) || (timeOf(name) === null && /\.(?:secret|sha256)$/.test(name) && !isWhole(name)),
    ),
  )
}

function remove(folder: string, names: readonly string[]): void {
  for (const name of names) if (existsSync(join(folder, name))) unlinkSync(join(folder, name))
}
