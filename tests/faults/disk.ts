import { dlopen } from 'bun:ffi'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BYTES = 512 * 1024 * 1024
/** EXT4_IOC_SHUTDOWN, and not even its log is written. */
const [SHUTDOWN, WITHOUT_THE_LOG] = [0x8004587d, 2]

/** A disk of its own, whose power can be cut: what was not flushed to it by then is gone. */
export interface Disk {
  folder: string
  /** From now on nothing reaches it, and whoever tries is told of an error. */
  cutPower(): void
  /** As the machine does when it starts again; nobody may use the disk. */
  mountAgain(): void
  remove(): void
}

/** An ext4 file system in a file, or null where mounting one is not permitted. */
export function mountDisk(): Disk | null {
  if (Bun.which('mkfs.ext4') === null || Bun.which('mount') === null) return null
  const place = mkdtempSync(join(tmpdir(), 'openall-power-'))
  const [image, folder] = [join(place, 'image'), join(place, 'disk')]
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, BYTES)
  const run = (...words: string[]) => Bun.spawnSync(words).exitCode === 0
  const mount = () => run('mount', '-o', 'loop', image, folder)
  if (!run('mkfs.ext4', '-q', '-F', image) || !mount()) {
    rmSync(place, { recursive: true })
    return null
  }
  const must = (isDone: boolean, what: string) => {
    if (!isDone) throw new Error(`the disk cannot be ${what}`)
  }
  return {
    folder,
    cutPower() {
      const libc = dlopen('libc.so.6', { ioctl: { args: ['i32', 'u64', 'buffer'], returns: 'i32' } })
      const root = openSync(folder, 'r')
      const done = libc.symbols.ioctl(root, SHUTDOWN, new Uint32Array([WITHOUT_THE_LOG]))
      closeSync(root)
      libc.close()
      must(done === 0, 'cut off')
    },
    mountAgain() {
      must(run('umount', folder) && mount(), 'mounted again')
    },
    remove() {
      run('umount', folder)
      rmSync(place, { recursive: true })
    },
  }
}
