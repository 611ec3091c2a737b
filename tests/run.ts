import { availableParallelism } from 'node:os'
import { Glob } from 'bun'

// `bun run test` and `bun run test:full`: which files run, on what of the matrix (tests/README.md). Bun has them run side
// by side, the slowest first by the times in tests/timings.json. Words after the command choose files.

const TIMEOUT_MS = 120_000
const CORES = availableParallelism()
/** Two files a core: much of a file is waiting for a page. What runs on Deno waits for no page. */
const AT_ONCE: Record<string, number> = { usual: CORES * 2 }
/** What takes several runtimes, or long: in the full run alone, on all of the matrix. */
const FULL_ONLY = /^tests\/(?:(?:faults|matrix)\/|sdk\/package)/
/** How a file says that its tests are declared for each part of the matrix. */
const OF_THE_MATRIX = /\b(?:onEveryTarget|onEveryTargetSlowly|onEveryProcess|onEveryRuntime|RUNTIMES|TARGETS|MATRIX)\b/

const [run, ...words] = process.argv.slice(2)
const files = [...new Glob('tests/**/*.test.{ts,tsx}').scanSync('.')]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
const usual = files.filter((file) => !FULL_ONLY.test(file))

/** Runs files on a part of the matrix. */
async function test(MATRIX: string, chosen: readonly string[], flags: readonly string[] = []): Promise<boolean> {
  if (chosen.length === 0) return true
  const how = [
    `--parallel=${AT_ONCE[MATRIX] ?? CORES}`,
    // A worker keeps the modules it has loaded: to load the server anew is more work than most files are.
    '--no-isolate',
    '--timings=tests/timings.json',
    '--timeout',
    String(TIMEOUT_MS),
    '--only-failures',
    ...flags,
  ]
  const child = Bun.spawn([process.execPath, 'test', ...how, ...chosen.map((file) => `./${file}`)], {
    env: { ...process.env, MATRIX },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return (await child.exited) === 0
}

async function full(): Promise<boolean> {
  const texts = await Promise.all(usual.map((file) => Bun.file(file).text()))
  const rest = await test(
    'rest',
    usual.filter((_, at) => OF_THE_MATRIX.test(texts[at] ?? '')),
  )
  const faults = await test(
    'all',
    files.filter((file) => FULL_ONLY.test(file)),
  )
  return rest && faults
}

const runs: Record<string, () => Promise<boolean>> = {
  usual: () => test('usual', usual),
  full,
  timings: () => test('usual', usual, ['--update-timings']),
}
const chosen = runs[run ?? 'usual']
if (chosen === undefined) throw new Error(`a run is one of ${Object.keys(runs).join(', ')}`)
process.exit((await chosen()) ? 0 : 1)
