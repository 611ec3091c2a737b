import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const GROUP_AND_OTHERS = 0o077

/** Suffixes of the files beside a database: SQLite’s, and our secret. */
const PARTS = ['', '-wal', '-shm', '-journal', '.secret']

/** Creates the directory of a file, and its parents, accessible to the owner only. */
export function makeFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}

/**
 * Makes a database and the files beside it accessible to their owner only: anyone who can read them can sign in as
 * anyone. Files that the service creates are private from the start (src/main.ts).
 * @returns those owned by another user, which it cannot change.
 */
export function keepPrivate(file: string): string[] {
  return PARTS.map((part) => file + part)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
    .filter((path) => !closeToOthers(path))
}

/** Removes all access but the owner’s. @returns false if the file belongs to another user, or may not be changed. */
export function closeToOthers(path: string): boolean {
  try {
    const { mode } = statSync(path)
    if ((mode & GROUP_AND_OTHERS) !== 0) chmodSync(path, mode & 0o700)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process may have removed its log in the meantime.
    if (code === 'ENOENT') return true
    if (code === 'EPERM' || code === 'EROFS') return false
    throw error
  }
}
