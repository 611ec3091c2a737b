import { accessSync, chmodSync, constants, mkdirSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

// Containers mount folders of another user, and systemd's users change. An operator needs to know who owns a file and as whom the
// service runs, which `EACCES: permission denied` does not say.

/** The use of a path. A file to write, or a folder, is created if it is missing. */
export type Use = 'read file' | 'write file' | 'write folder'

/**
 * Why the service's user cannot use a path, with a command that helps; null if no permission, mount or mix-up of files and
 * folders prevents it.
 */
export function fileFault(path: string, use: Use): string | null {
  const at = resolve(path)
  let above = '/'
  for (const part of waysTo(at)) {
    let stats: Stats
    try {
      stats = statSync(part)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES') return refused(above, 'enter')
      if (code !== 'ENOENT') return null
      if (use === 'read file') return `${part} does not exist`
      const folder = use === 'write folder' ? at : dirname(at)
      return accessFault(above, constants.W_OK | constants.X_OK, folder === above ? undefined : folder)
    }
    const isFolder = part !== at || use === 'write folder'
    if (isFolder && !stats.isDirectory()) return `${part} is a file, where a folder is expected: move it away`
    if (!isFolder && stats.isDirectory()) return `${part} is a folder, where a file is expected: move it away`
    above = part
  }
  if (use === 'write folder') return accessFault(at, constants.R_OK | constants.W_OK | constants.X_OK)
  const ofFile = accessFault(at, use === 'read file' ? constants.R_OK : constants.R_OK | constants.W_OK)
  // Files are written next to it: a log, a draft.
  return ofFile ?? (use === 'read file' ? null : accessFault(dirname(at), constants.W_OK | constants.X_OK))
}

/** A path and all folders above it, from the top. */
function waysTo(path: string): string[] {
  const above = dirname(path)
  return above === path ? [path] : [...waysTo(above), path]
}

/** @param missing the folder that should be created below `path`. */
function accessFault(path: string, mode: number, missing?: string): string | null {
  try {
    accessSync(path, mode)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EROFS')
      return `${path} is mounted read-only: mount it writable (without \`:ro\`; under systemd, only the service’s own folder is)`
    return code === 'EACCES' ? refused(path, (mode & constants.W_OK) === 0 ? 'read' : 'write', missing) : null
  }
}

function refused(path: string, what: 'enter' | 'read' | 'write', missing?: string): string {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const stats = statSync(path)
  const [kind, mode] = stats.isDirectory() ? ['folder', 'u+rwx'] : ['file', 'u+rw']
  // Never `-R`, nor a folder above the service's own, which may be shared.
  const own = stats.uid === uid ? `chmod ${mode}` : `chown ${uid}:${gid}`
  const help =
    missing === undefined ? `${own} ${typed(path)}` : `install -d -m 700 -o ${uid} -g ${gid} ${typed(missing)}`
  return `the service runs as uid ${uid}, which may not ${what} the ${kind} ${path} of uid ${stats.uid}: ${help}`
}

/** A path quoted for a shell. */
function typed(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

const GROUP_AND_OTHERS = 0o077

/** Suffixes of the files beside a database: SQLite’s, and the service's secret. */
const PARTS = ['', '-wal', '-shm', '-journal', '.secret']

/** Creates the directory of a file, and its parents, accessible to the owner only. */
export function makeFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}

/**
 * Makes a database and the files beside it accessible to their owner only: anyone who can read them can sign in as anyone. Files
 * that the service creates are private from the start (src/main.ts).
 * @returns files of another user, which it cannot change.
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
