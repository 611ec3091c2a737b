import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Logger } from 'pino'
import { every, type Loop } from '../core/every.ts'

const CHECK_MS = 2_000
/** Below this limit a few slow clients can hold every connection. */
const ENOUGH = 1_024
/** Fractions of the limit at which to warn, and to report recovery. */
const [WARN_AT, RECOVERED_AT] = [0.9, 0.7]

/**
 * Logs at the start if the process may open few file descriptors, and later when it nearly runs out of them: it then stops
 * accepting connections, and neither runtime reports that. Linux only.
 * @returns null where they cannot be counted.
 */
export function watchDescriptors(log: Logger): Loop | null {
  if (process.platform !== 'linux') return null
  const limit = readLimit()
  if (Number.isNaN(limit)) return null
  if (limit < ENOUGH)
    log.warn(
      { limit },
      'few file descriptors are allowed, and each connection takes one: so many slow connections keep everybody else waiting. Allow 65536 (LimitNOFILE, ulimits in compose, ulimit -n), or put a proxy in front',
    )
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
