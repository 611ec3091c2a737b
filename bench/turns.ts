import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeBundles, saveLauncher } from './bundles.ts'
import { median } from './figures.ts'
import { fileStore, type Server, startBare, startService } from './processes.ts'
import { findWrk, loadForSeconds, loadRequests, type Workload } from './wrk.ts'

// `bun run bench:turns <checkout>`: this code, another checkout's and the bare runtime, alternating. See bench/README.md.

/** Two processes of the same code differ by up to a tenth, so each side has several. */
const PROCESSES_PER_SIDE = 3
const ROUNDS = 12
const ROUND_SECONDS = 1
const REQUESTS_BEFORE_MEMORY = 100_000

interface Process {
  side: 'this' | 'other'
  server: Server
  slugFile: string
}

async function startSide(side: Process['side'], checkout: string, folder: string, launcher: string) {
  const store = fileStore(join(folder, `${side}.db`))
  const slugFile = join(folder, `${side}.slugs`)
  const first = await startService(store, '/', checkout)
  const slugs = await makeBundles(first)
  writeFileSync(slugFile, slugs.join('\n'))
  await saveLauncher(first, slugs[0]!, launcher)
  await first.stop()
  const processes: Process[] = []
  for (let count = 0; count < PROCESSES_PER_SIDE; count += 1) {
    processes.push({ side, server: await startService(store, `/l/${slugs[0]}`, checkout), slugFile })
  }
  return processes
}

/** Each side's answers per second, relative to bare in the same round. */
async function rounds(workload: Workload, bare: Server, bareFile: string, processes: Process[]) {
  const ratios = { this: [] as number[], other: [] as number[] }
  const perSecond = async (server: Server, slugFile: string) =>
    (await loadForSeconds(workload, server.origin, slugFile, ROUND_SECONDS)).answered / ROUND_SECONDS
  for (let round = 0; round <= ROUNDS; round += 1) {
    const theirs = await perSecond(bare, bareFile)
    for (const { side, server, slugFile } of processes.toSorted(() => Math.random() - 0.5)) {
      const ratio = (await perSecond(server, slugFile)) / theirs
      // The first round warms up.
      if (round > 0) ratios[side].push(ratio)
    }
  }
  return ratios
}

async function bench(folder: string, other: string): Promise<void> {
  const launcher = join(folder, 'launcher.json')
  const sides = {
    other: await startSide('other', other, folder, launcher),
    this: await startSide('this', fileURLToPath(new URL('..', import.meta.url)), folder, launcher),
  }
  const processes = [...sides.other, ...sides.this]
  for (const { server, slugFile } of processes) {
    await loadRequests('launchers', server.origin, slugFile, REQUESTS_BEFORE_MEMORY)
  }
  const lines = [
    '| median | other checkout | this |',
    '| --- | ---: | ---: |',
    row('Memory after 100,000 views, MB', 1, (side) => sides[side].map(({ server }) => server.residentMb())),
  ]
  for (const workload of ['launchers', 'events'] as const) {
    const bare = await (workload === 'events' ? startBare(workload) : startBare(workload, launcher))
    const ratios = await rounds(workload, bare, sides.this[0]!.slugFile, processes)
    await bare.stop()
    lines.push(row(`${workload === 'events' ? 'Events' : 'Launchers'}, of bare`, 3, (side) => ratios[side]))
  }
  for (const { server } of processes) await server.stop()
  console.log(lines.join('\n'))
}

function row(what: string, digits: number, of: (side: Process['side']) => number[]): string {
  return `| ${what} | ${median(of('other')).toFixed(digits)} | ${median(of('this')).toFixed(digits)} |`
}

const other = process.argv[2]
if (other === undefined || findWrk() === null) {
  console.error(
    'Name the checkout to compare with, its packages installed: `bun run bench:turns ../old`. The bench needs wrk.',
  )
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'openall-turns-'))
try {
  await bench(folder, resolve(other))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
