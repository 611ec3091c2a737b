import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Logger } from 'pino'

const CHECK_MS = 2_000
/** Of the limit: warned of, and recovered from. */
const [MANY, FEWER] = [0.9, 0.7]

/**
 * Logs when nearly all file descriptors of the process are in use: from then on connections are not accepted, and runtimes say
 * nothing of it. Linux only. @returns what ends it.
 */
export function watchDescriptors(log: Logger): () => void {
  if (process.platform !== 'linux') return () => {}
  const limit = readLimit()
  if (Number.isNaN(limit)) return () => {}
  let isTold = false
  const timer = setInterval(() => {
    const use = inUse(limit)
    const share = use.open / use.limit
    if (share >= MANY && !isTold) {
      isTold = true
      log.error(
        use,
        'nearly all file descriptors are in use: new connections wait. Raise the limit (LimitNOFILE, ulimit -n)',
      )
    } else if (share < FEWER && isTold) {
      isTold = false
      log.info(use, 'file descriptors are free again')
    }
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** One descriptor may be wanted to read this: with none left it cannot be read, and all are in use. */
function inUse(limit: number): { open: number; limit: number } {
  try {
    // Since Linux 6.2 it has a size, which costs nothing to ask for.
    return { open: statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length, limit }
  } catch {
    return { open: limit, limit }
  }
}

/** How many descriptors the process may have; NaN where the system does not say. To be read while one is free. */
function readLimit(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
}
