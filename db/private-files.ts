import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const GROUP_AND_OTHERS = 0o077

/** Files beside a database: SQLite’s, libSQL’s metadata of a replica, our secret. */
const PARTS = ['', '-wal', '-shm', '-journal', '-info', '-client_wal_index', '.secret']

/** Creates the folder of a file, and its parents, accessible to the owner only. */
export function makeFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}

/**
 * Makes a database and the files beside it accessible to their owner only: whoever reads them can sign in as anybody.
 * What the service creates itself is private from the start (src/main.ts).
 * @returns those that belong to another user, and so stay as they are.
 */
export function keepPrivate(file: string): string[] {
  return PARTS.map((part) => file + part)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
    .filter((path) => !closeToOthers(path))
}

/** Removes all access but the owner’s. @returns false if the file is not ours. */
export function closeToOthers(path: string): boolean {
  try {
    const { mode } = statSync(path)
    if ((mode & GROUP_AND_OTHERS) !== 0) chmodSync(path, mode & 0o700)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process may have removed its log meanwhile.
    if (code === 'ENOENT') return true
    if (code === 'EPERM') return false
    throw error
  }
}
