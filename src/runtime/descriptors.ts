import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Logger } from 'pino'
import { every, type Loop } from '../core/every.ts'

const CHECK_MS = 2_000
/** Fractions of the limit at which to warn, and to report recovery. */
const [WARN_AT, RECOVERED_AT] = [0.9, 0.7]

/**
 * Logs when the process nearly runs out of file descriptors: it then stops accepting connections, and neither runtime
 * reports that. Linux only.
 * @returns null where they cannot be counted.
 */
export function watchDescriptors(log: Logger): Loop | null {
  if (process.platform !== 'linux') return null
  const limit = readLimit()
  if (Number.isNaN(limit)) return null
  let hasWarned = false
  const look = () => {
    const use = inUse(limit)
    const ratio = use.open / use.limit
    if (ratio >= WARN_AT && !hasWarned) {
      hasWarned = true
      log.error(
        use,
        'nearly all file descriptors are in use: new connections wait. Raise the limit (LimitNOFILE, ulimit -n)',
      )
    } else if (ratio < RECOVERED_AT && hasWarned) {
      hasWarned = false
      log.info(use, 'file descriptors are free again')
    }
  }
  return every(CHECK_MS, look, log, 'file descriptors could not be counted')
}

/** Reading the count may need a descriptor itself; if that fails, all are in use. */
function inUse(limit: number): { open: number; limit: number } {
  try {
    // Since Linux 6.2 the size of the directory is the count.
    return { open: statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length, limit }
  } catch {
    return { open: limit, limit }
  }
}

/** The limit of descriptors; NaN if unknown. Read early, because it needs a free descriptor. */
function readLimit(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
}
