import { dlopen } from 'bun:ffi'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BYTES = 512 * 1024 * 1024
/** EXT4_IOC_SHUTDOWN, without writing the journal. */
const [SHUTDOWN, WITHOUT_JOURNAL] = [0x8004587d, 2]

/** A file system whose power can be cut: data that was not flushed by then is lost. */
export interface Disk {
  folder: string
  /** From now on nothing is written, and every access fails. */
  cutPower(): void
  /** As after a restart of the machine. No process may be using the disk. */
  mountAgain(): void
  remove(): void
}

/** An ext4 file system in a file, which only root may mount. */
export function mountDisk(): Disk {
  const place = mkdtempSync(join(tmpdir(), 'openall-power-'))
  let image = join(place, 'image')
  const folder = join(place, 'disk')
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, BYTES)
  const run = (...args: string[]) => Bun.spawnSync(args).exitCode === 0
  const mount = () => run('mount', '-o', 'loop', image, folder)
  if (!run('mkfs.ext4', '-q', '-F', image) || !mount()) {
    rmSync(place, { recursive: true })
    throw new Error('an ext4 file system in a file cannot be mounted')
  }
  const must = (isDone: boolean, what: string) => {
    if (!isDone) throw new Error(`the disk cannot be ${what}`)
  }
  return {
    folder,
    cutPower() {
      const libc = dlopen('libc.so.6', { ioctl: { args: ['i32', 'u64', 'buffer'], returns: 'i32' } })
      const root = openSync(folder, 'r')
      const done = libc.symbols.ioctl(root, SHUTDOWN, new Uint32Array([WITHOUT_JOURNAL]))
      closeSync(root)
      libc.close()
      must(done === 0, 'cut off')
    },
    mountAgain() {
      must(run('umount', folder), 'unmounted')
      // A process with mounts of its own, such as a container that was started meanwhile, still has it, and the same image
      // would be the same cut off file system. The copy is what is on the disk.
      const before = image
      image = `${image}+`
      must(run('cp', '--sparse=always', before, image) && mount(), 'mounted again')
      rmSync(before)
    },
    remove() {
      run('umount', folder)
      rmSync(place, { recursive: true })
    },
  }
}
