import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const GROUP_AND_OTHERS = 0o077

/** What lies beside a database file: SQLite's own, what libSQL keeps for a local copy of a server's, our secret. */
const PARTS = ['', '-wal', '-shm', '-journal', '-info', '-client_wal_index', '.secret']

/** Makes the folder of a file, and those above it, where they are missing: their owner's alone. */
export function makeFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}

/**
 * Makes a database file its owner's alone, and what lies beside it under its name with it: its log, its secret.
 * Whoever reads them can sign in as anybody. What the service itself makes is so from the start (src/main.ts).
 * @returns those that belong to somebody else, and so stay open to others.
 */
export function keepPrivate(file: string): string[] {
  return PARTS.map((part) => file + part)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
    .filter((path) => !closeToOthers(path))
}

/** Takes from everyone but its owner what they may do with a file or folder. @returns false where it is not ours. */
export function closeToOthers(path: string): boolean {
  try {
    const { mode } = statSync(path)
    if ((mode & GROUP_AND_OTHERS) !== 0) chmodSync(path, mode & 0o700)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process may have taken its log away meanwhile.
    if (code === 'ENOENT') return true
    if (code === 'EPERM') return false
    throw error
  }
}
