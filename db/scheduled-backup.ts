import { existsSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'libsql'
import { makeFolderOf } from '../src/config/private-files.ts'
import { CHECKSUMS, type Copy, copyStore, SECRET } from './backup.ts'

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

/** Whether a backup was made while the clock was wrong, as 0 or 1. Such a backup would displace the newest. */
function isFromFuture(name: string, now: number): number {
  return Number((timeOf(name) ?? 0) > now)
}

/** When the newest backup in a folder was made, in milliseconds since 1970; null if there is none. */
export function lastBackupAt(folder: string, now: number): number | null {
  const times = (existsSync(folder) ? readdirSync(folder) : []).map(timeOf).filter((at) => at !== null && at <= now)
  return times.length === 0 ? null : Math.max(...(times as number[]))
}

/**
 * Backs up a file store if the newest backup is older than planned, and removes surplus ones. Only one of several
 * processes does it. Blocks its thread while copying; `backUpInWorker` does not.
 * @returns null if none is due, or another process is making it.
 * @throws UnusableCopy; what the driver throws.
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
    for (const name of newestFirst.slice(keep)) remove(folder, [name, name + SECRET, name + CHECKSUMS])
    return copy
  } finally {
    lock.close()
  }
}

/** The worker's input and result. */
export interface BackupTask {
  store: string
  plan: BackupPlan
}
export type BackupResult = { copy: Copy | null } | { failure: string }

/** `backUpIfDue` in its own thread. Rejects with the reason if it fails. */
export function backUpInWorker(store: string, plan: BackupPlan): Promise<Copy | null> {
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
    workerData: { store, plan } satisfies BackupTask,
  })
  // Shutdown does not wait for it: the next backup removes an unfinished one.
  worker.unref()
  return new Promise<Copy | null>((resolve, reject) => {
    worker.once('message', (result: BackupResult) => {
      if ('copy' in result) resolve(result.copy)
      else reject(new Error(result.failure))
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the backup ended without a result')))
  }).finally(() => void worker.terminate())
}

/** A lock released when its holder ends, even by a crash; null while another process has it. */
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
