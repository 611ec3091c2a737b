import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** Where to find the memory limit of the container or systemd unit: cgroup v2, then v1. */
const OWN_GROUP = '/proc/self/cgroup'
const ROOT = '/sys/fs/cgroup'

/**
 * The memory available to this process, in bytes: the machine’s, or the limit it runs under. Read from the cgroup
 * files, because Deno’s `process.constrainedMemory` ignores them.
 */
export function memoryBytes(): number {
  return Math.min(totalmem(), ...limitFiles().map(limitIn))
}

/**
 * Default size of the launcher cache, in MB: a 32nd of the memory, at least 32, which a machine with 1 GB can spare,
 * and at most 512, beyond which views get hardly faster.
 */
export function defaultCacheMb(memory: number): number {
  return Math.min(Math.max(Math.floor(memory / 2 ** 20 / 32), 32), 512)
}

function limitFiles(): string[] {
  // A group is also limited by its parents. Inside a container its own group is the root.
  return textOf(OWN_GROUP)
    .split('\n')
    .flatMap((line) => {
      const [, controllers = '', path = '/'] = line.split(':')
      if (controllers === '') return upwards(path).map((group) => `${ROOT}${group}memory.max`)
      const isMemory = controllers.split(',').includes('memory')
      return isMemory ? upwards(path).map((group) => `${ROOT}/memory${group}memory.limit_in_bytes`) : []
    })
}

/** `/a/b` gives `/`, `/a/` and `/a/b/`. */
function upwards(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '')
  return Array.from(
    { length: names.length + 1 },
    (_, depth) =>
      `/${names
        .slice(0, depth)
        .map((name) => `${name}/`)
        .join('')}`,
  )
}

function limitIn(file: string): number {
  const text = textOf(file).trim()
  return /^[0-9]+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
