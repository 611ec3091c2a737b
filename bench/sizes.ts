import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBundles } from './bundles.ts'
import { fileStore, startService } from './processes.ts'

// `bun bench/sizes.ts`: what an operator plans with. Disk per thousand bundles of seven links with notes, memory before and
// after each launcher was viewed, and the time of a backup, a check, a restore and a start.

const THOUSANDS = 20
const MIB = 2 ** 20

const folder = mkdtempSync(join(tmpdir(), 'openall-sizes-'))
try {
  const file = join(folder, 'data/openall.db')
  const copy = join(folder, 'copy.db')
  const server = await startService(fileStore(file), '/healthz')
  const atStart = server.residentMb()
  const slugs = await makeBundles(server, THOUSANDS * 1_000)
  for (const slug of slugs) await (await fetch(`${server.origin}/l/${slug}`)).arrayBuffer()
  const viewed = server.residentMb()
  const backup = await time(file, 'backup', copy)
  const verify = await time(file, 'verify', copy)
  await server.stop()
  const restore = await time(join(folder, 'restored/openall.db'), 'restore', copy)
  const again = await startService(fileStore(join(folder, 'restored/openall.db')), '/healthz')
  await again.stop()
  console.log(`${(statSync(copy).size / MIB / THOUSANDS).toFixed(2)} MiB of disk per thousand bundles`)
  console.log(
    `${atStart.toFixed(0)} MiB of memory at start, ${viewed.toFixed(0)} with ${THOUSANDS} 000 launchers viewed`,
  )
  console.log(
    `${backup} s for a backup, ${verify} s to verify it, ${restore} s to restore it (${statSync(copy).size} bytes)`,
  )
  console.log(`${(again.firstAnswerMs / 1000).toFixed(2)} s to start on it`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Seconds that a command of the operator takes. */
async function time(file: string, ...words: string[]): Promise<string> {
  const from = performance.now()
  const env = { ...process.env, ...fileStore(file) }
  const child = Bun.spawn([process.execPath, 'src/main.ts', ...words], { env, stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${words.join(' ')} failed`)
  return ((performance.now() - from) / 1000).toFixed(2)
}
