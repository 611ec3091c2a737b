import { availableParallelism } from 'node:os'
import { Glob } from 'bun'

// `bun run test` and `bun run test:full`: which files run on which part of the matrix (tests/README.md). Bun runs them in
// parallel, the slowest first according to tests/timings.json. Arguments select files.

const TIMEOUT_MS = 180_000
const CORES = availableParallelism()
/** Two files per core in the usual run, because browser tests mostly wait; in the rest fewer do. */
const PARALLEL: Record<string, number> = { usual: CORES * 2, rest: CORES + 1 }
/** Tests of several runtimes, of processes and with large tools of others: only in the full run, on the whole matrix. */
const WHOLE_MATRIX =
  /^tests\/(?:(?:faults|matrix)\/|sdk\/package|cli\/terminal|mcp\/(?:oauth-)?conformance|openapi\/generated|production)/
/** Other tests that take long: only in the full run. */
const LONG =
  /^tests\/(?:quality\/|deploy|image|release|browser\/(?:cli-login|journeys)|mcp\/inspector|sdk\/browser|security\/injected|contract\/who-sees-what)/
/** Names by which a file declares its tests for each part of the matrix. */
const USES_MATRIX =
  /\b(?:onEveryTarget|onEveryTargetWithSlowPasswords|onEveryProcess|onEveryRuntime|RUNTIMES|TARGETS|MATRIX)\b/

const [run, ...filters] = process.argv.slice(2)
const files = [...new Glob('tests/**/*.test.{ts,tsx}').scanSync('.')]
  .filter((file) => filters.length === 0 || filters.some((text) => file.includes(text)))
  .sort()
const usual = files.filter((file) => !WHOLE_MATRIX.test(file) && !LONG.test(file))

/** Runs files on a part of the matrix. */
async function test(MATRIX: string, chosen: readonly string[], flags: readonly string[] = []): Promise<boolean> {
  if (chosen.length === 0) return true
  const options = [
    `--parallel=${PARALLEL[MATRIX] ?? CORES}`,
    // Workers keep loaded modules: loading the server again takes longer than most files.
    '--no-isolate',
    '--timings=tests/timings.json',
    '--timeout',
    String(TIMEOUT_MS),
    '--preload=./tests/midnight.ts',
    '--only-failures',
    ...flags,
  ]
  const child = Bun.spawn([process.execPath, 'test', ...options, ...chosen.map((file) => `./${file}`)], {
    env: { ...process.env, MATRIX },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return (await child.exited) === 0
}

async function full(): Promise<boolean> {
  const texts = await Promise.all(usual.map((file) => Bun.file(file).text()))
  const rest = usual.filter((_, at) => USES_MATRIX.test(texts[at] ?? ''))
  const long = files.filter((file) => LONG.test(file))
  const passed = await test('rest', [...rest, ...long])
  const whole = files.filter((file) => WHOLE_MATRIX.test(file))
  return (await test('all', whole)) && passed
}

const runs: Record<string, () => Promise<boolean>> = {
  usual: () => test('usual', usual),
  full,
  timings: () => test('usual', usual, ['--update-timings']),
}
const chosen = runs[run ?? 'usual']
if (chosen === undefined) throw new Error(`the run must be one of ${Object.keys(runs).join(', ')}`)
process.exit((await chosen()) ? 0 : 1)
