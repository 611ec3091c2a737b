import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

// Containers mount folders of another user, and systemd's users change: an operator needs to know whose the file is, and as whom the
// service runs, which `EACCES: permission denied` does not say.

/** What the service needs a path for. A file that it writes, or a folder, is made if it is missing. */
export type Use = 'read file' | 'write file' | 'write folder'

/**
 * Why the service's user cannot use a path, with the command that helps; null if no permission, mount or mix-up of files and
 * folders is in the way.
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

/** @param missing the folder that was to be made below `path`. */
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
  // Never `-R`, nor a folder above the service's own: it may be everybody's.
  const own = stats.uid === uid ? `chmod ${mode}` : `chown ${uid}:${gid}`
  const help =
    missing === undefined ? `${own} ${typed(path)}` : `install -d -m 700 -o ${uid} -g ${gid} ${typed(missing)}`
  return `the service runs as uid ${uid}, which may not ${what} the ${kind} ${path} of uid ${stats.uid}: ${help}`
}

/** A path as a word of a shell. */
function typed(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
