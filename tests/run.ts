import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import { has, IS_CI, type NeedName, needsOf } from './needs.ts'

// `bun run test`, `bun run test:full` and `bun run test:matrix`: which files run on which part of the matrix
// (tests/README.md). Bun runs them in parallel, the slowest first according to tests/timings.json. Arguments select files.

const TIMEOUT_MS = 180_000
/** One more than there are cores: browsers and processes that start wait for something. Yet more only delay each other. */
const PARALLEL = availableParallelism() + 1
/**
 * Of the usual files, those that `test:full` runs on Deno and over sqld too: only `main.ts` names a runtime and only `db/`
 * knows stores, so the others would run the same code again. Requests and answers, streams and workers, sockets of our
 * own, sign-in, every operation, the stores, and the programs that users start.
 */
const AGAIN =
  /^tests\/(?:parity|store|unit\/(?:statement-cache|placeholders)\.|contract\/(?:calendar|health|http|methods|running|turns|export|pictures|metrics|identity-(?:accounts|browsers))\.|security\/(?:protocol|undecodable|outgoing)\.|sdk\/client|cli\/(?:admin|docs|mcp|webhooks))/
/** Tests of processes, of both runtimes together and with large tools of others: only in the full run, on both runtimes. */
const WHOLE_MATRIX =
  /^tests\/(?:matrix\/|faults\/(?:drain|kill|log-reader|nginx|sockets|stop|systemd)|sdk\/package|cli\/terminal|mcp\/conformance|openapi\/generated\.|production)/
/**
 * What the usual run leaves to the full one, on Bun: a contributor waits for one look at every operation, page and rule, as
 * people and programs use them. It takes the others' programs, or somebody who is set on doing harm, runs two calls into each
 * other, lets days pass, has thousands of things, or operates the service, to see the rest.
 */
const LONG = [
  // Browsers, but for Open all and one way through the dashboard; machines, packages, faults.
  /^tests\/(?:quality\/|faults\/|deploy|image|release|browser\/(?!(?:open-all|owner)\.))/,
  // Programs of others, and each command and flag of ours: parity has every operation by it.
  /^tests\/(?:mcp\/(?:inspector|oauth-conformance|oauth-libraries)|openapi\/generated|sdk\/browser|cli\/(?:apply|commands|device|docs|webhooks)\.|contract\/oauth-(?:device|documents)\.|extension\/lint\.)/,
  // Attacks.
  /^tests\/(?:security\/(?:injected|long-headers|mail|outgoing-attacks|protocol|values)|openapi\/places|limits\/flood|unit\/(?:import-attacks|placeholders\.)|contract\/(?:bad-input|brute-force|held|icon-(?:attacks|bombs)|mail-abuse|sign-in-limits|who-sees-what))/,
  // Races.
  /^tests\/contract\/(?:deleted-meanwhile|proof-races|transfer-races)\./,
  // The passing of days, and what is done in the background.
  /^tests\/(?:insights\/(?:days|known-viewers|recorder|salts)\.|contract\/(?:events-kept|icon-life|idempotency-life|key-end-mails|mail-outbox|link-(?:checks|health|repairs)|owners-gone|owners-sweep|proposal-mails|retention|webhooks-gone)\.)/,
  // Amounts.
  /^tests\/(?:policies\/amounts|unit\/(?:link-turns|sweep|streams|readers)\.|insights\/viewer-quota|contract\/(?:bounds\.|filled-alike|history|large-bodies|large-lists|reading|search-index|turns|version-parts))/,
  // Operating.
  /^tests\/(?:keys\/key-ring|limits\/redis|contract\/(?:backup|file-faults|identity-oidc|inspect-tls|mail-log|metrics|operat|private|running|upgrade))/,
]
const isLong = (file: string) => LONG.some((some) => some.test(file))
/** Of those, what is about files, disks and whole machines, and so runs on a disk. */
const ABOUT_DISKS = /^tests\/(?:faults\/|deploy|image|release|contract\/(?:backup|file-faults|operat|running|upgrade))/
/** Of those, what measures how long the service is held up, which whatever runs beside it would add to: alone. */
const MEASURES = /^tests\/contract\/(?:held|large-bodies)\./
/** Names by which a file declares its tests for each part of the matrix. */
const USES_MATRIX =
  /\b(?:onEveryTarget|onBothSchemes|onEveryTargetWithSlowPasswords|onEveryProcess|RUNTIMES|TARGETS|STORES|MATRIX|kindsOfWay|IS_WHOLE_MATRIX)\b/

const [run, ...filters] = process.argv.slice(2)
const files = [...new Glob('tests/**/*.test.{ts,tsx}').scanSync('.')]
  .filter((file) => filters.length === 0 || filters.some((text) => file.includes(text)))
  .sort()
const whole = files.filter((file) => WHOLE_MATRIX.test(file))
const long = files.filter((file) => isLong(file) && !WHOLE_MATRIX.test(file))
const usual = files.filter((file) => !WHOLE_MATRIX.test(file) && !isLong(file))

/** What a file's tests said last. */
interface Verdict {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What a run is given besides its files. */
interface Where {
  readonly env: NodeJS.ProcessEnv
  readonly flags?: readonly string[]
  readonly isSilent?: boolean
}
/**
 * For processes that live as briefly as these: Bun's last compiler does not repay its work (a fourteenth of all), and memory
 * that is given back to the system is soon asked for again (an eighth).
 */
const SHORT_LIVED = { ...process.env, BUN_JSC_useFTLJIT: '0', MIMALLOC_PURGE_DELAY: '-1' }
const ON_DISK: Where = { env: SHORT_LIVED }
const AS_SHIPPED: Where = { env: process.env }

/** So many files may be run again: a machine's bad moment fails one or two, a defect fails more. */
const AGAIN_AT_MOST = 4
const reports = mkdtempSync(join(tmpdir(), 'openall-tests-'))

/**
 * Runs files on a part of the matrix. Those that failed, if they are few, are run once more, alone: what fails then is a
 * defect; what passes is named at the end, since it may be a race.
 */
async function test(
  MATRIX: string,
  chosen: readonly string[],
  how: Where = ON_DISK,
  parallel = PARALLEL,
): Promise<boolean> {
  const lacking = chosen.filter((file) => firstLacking(file) !== undefined)
  const there = chosen.filter((file) => !lacking.includes(file))
  if (chosen.length === 0) return true
  const verdicts = there.length === 0 ? new Map<string, Verdict>() : await runFiles(MATRIX, there, parallel, how)
  const failed = failedOf(verdicts)
  if (failed.length <= AGAIN_AT_MOST) {
    for (const file of failed) {
      console.log(`\nOnce more, alone: ${file}`)
      const [verdict] = (await runFiles(MATRIX, [file], 1, how)).values()
      if (verdict?.failed === 0) console.log(`FAILED BESIDE OTHERS, PASSED ALONE: ${file} (${MATRIX})`)
      if (verdict !== undefined) verdicts.set(file, verdict)
    }
  }
  const sum = (part: keyof Verdict) => [...verdicts.values()].reduce((total, verdict) => total + verdict[part], 0)
  console.log(`\nTests on ${MATRIX}: ${sum('passed')} passed, ${sum('failed')} failed`)
  await sayLeftOut(MATRIX, lacking, verdicts)
  return failedOf(verdicts).length === 0
}

/** What the machine lacks of what a whole file needs; in CI nothing, so that the file fails instead. */
const firstLacking = (file: string): NeedName | undefined =>
  IS_CI ? undefined : needsOf(file).all.find((name) => !has(name))

/** Names in one line what the machine lacks, with how many tests were left out for that. */
async function sayLeftOut(MATRIX: string, files: readonly string[], ran: ReadonlyMap<string, Verdict>): Promise<void> {
  const counts = new Map<NeedName, number>()
  const add = (name: NeedName, tests: number) => counts.set(name, (counts.get(name) ?? 0) + tests)
  if (files.length > 0) {
    const flags = ['--test-name-pattern', `nothing is called ${crypto.randomUUID()}`]
    const counted = await runFiles(MATRIX, files, 1, { ...ON_DISK, flags, isSilent: true })
    for (const file of files) add(firstLacking(file) as NeedName, counted.get(file)?.skipped ?? 0)
  }
  // Some tests of a file, which skips them itself; those in other browsers are not even declared.
  const inPart = new Map<NeedName, number>()
  for (const [file, { skipped }] of ran) {
    const missing = IS_CI ? [] : needsOf(file).some.filter((some) => !has(some))
    if (missing[0] !== undefined && skipped > 0) add(missing[0], skipped)
    for (const name of missing) {
      if (name === 'Firefox' || name === 'WebKit') inPart.set(name, (inPart.get(name) ?? 0) + 1)
    }
  }
  const said = [
    ...[...counts].map(([name, tests]) => `${tests} that need ${name}`),
    ...[...inPart].map(([name, some]) => `${some} files in ${name}`),
  ]
  if (said.length > 0) console.log(`Left out of the tests on ${MATRIX}: ${said.join(', ')} (tests/README.md)`)
}

const failedOf = (verdicts: ReadonlyMap<string, Verdict>): string[] =>
  [...verdicts].filter(([, verdict]) => verdict.failed > 0).map(([file]) => file)

async function runFiles(
  MATRIX: string,
  chosen: readonly string[],
  parallel: number,
  { env, flags = [], isSilent = false }: Where,
): Promise<Map<string, Verdict>> {
  const report = join(reports, `${MATRIX}-${crypto.randomUUID()}.xml`)
  const options = [
    `--parallel=${parallel}`,
    // Workers keep loaded modules: loading the server again takes longer than most files.
    '--no-isolate',
    '--timings=tests/timings.json',
    '--timeout',
    String(TIMEOUT_MS),
    '--preload=./tests/midnight.ts',
    '--only-failures',
    '--pass-with-no-tests',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...flags,
  ]
  const child = Bun.spawn([process.execPath, 'test', ...options, ...chosen.map((file) => `./${file}`)], {
    env: { ...env, MATRIX },
    stdio: isSilent ? ['ignore', 'ignore', 'ignore'] : ['ignore', 'inherit', 'inherit'],
  })
  const succeeded = (await child.exited) === 0
  const said = Bun.file(report)
  const reported = (await said.exists()) ? verdictsIn(await said.text()) : new Map<string, Verdict>()
  // A file that fails as it loads is in no report; nor is one without a test on this part, but then the run succeeds.
  const absent = { passed: 0, failed: succeeded ? 0 : 1, skipped: 0 }
  return new Map(chosen.map((file) => [file, reported.get(file) ?? absent]))
}

function verdictsIn(report: string): Map<string, Verdict> {
  const files = report.matchAll(
    /^ {2}<testsuite name="[^"]*" file="([^"]*)" tests="(\d+)" assertions="\d+" failures="(\d+)" skipped="(\d+)"/gm,
  )
  return new Map(
    [...files].map(([, file = '', tests, failures, skipped]) => [
      file,
      {
        passed: Number(tests) - Number(failures) - Number(skipped),
        failed: Number(failures),
        skipped: Number(skipped),
      },
    ]),
  )
}

async function full(): Promise<boolean> {
  const memory = inMemory()
  const again = [...usual, ...long].filter((file) => AGAIN.test(file))
  const passed = [await test('rest', again, memory), await eachInPlace('usual', long, memory), await test('all', whole)]
  return passed.every(Boolean)
}

/** Each file where its promise shows: what measures alone and as shipped, what is about disks on one, all others in memory. */
async function eachInPlace(MATRIX: string, files: readonly string[], memory: Where): Promise<boolean> {
  const measuring = files.filter((file) => MEASURES.test(file))
  const aboutDisks = files.filter((file) => ABOUT_DISKS.test(file))
  const others = files.filter((file) => !measuring.includes(file) && !aboutDisks.includes(file))
  const passed = [
    await test(MATRIX, others, memory),
    await test(MATRIX, measuring, AS_SHIPPED, 1),
    await test(MATRIX, aboutDisks),
  ]
  return passed.every(Boolean)
}

/** A folder of Linux that is memory, and what has to be free of it: containers often have 64 MB. */
const MEMORY = '/dev/shm'
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * The environment of a run that keeps its files in memory if it can: a sixth of the work of a test with a database is to wait
 * for the disk, which keeps what nobody reads again. What a disk does with them is tested in `faults`, on one.
 */
function inMemory(): Where {
  const free = existsSync(MEMORY) ? statfsSync(MEMORY) : null
  if (free === null || free.bavail * free.bsize < NEEDED_BYTES) return { env: SHORT_LIVED }
  const TMPDIR = mkdtempSync(join(MEMORY, 'openall-tests-'))
  process.on('exit', () => rmSync(TMPDIR, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  return { env: { ...SHORT_LIVED, TMPDIR } }
}

/** Every file on everything that neither of the other runs has. */
async function matrix(): Promise<boolean> {
  const all = [...usual, ...long]
  const texts = await Promise.all(all.map((file) => Bun.file(file).text()))
  process.env.TARGETS = 'others'
  const others = all.filter((_, at) => USES_MATRIX.test(texts[at] ?? ''))
  return eachInPlace('rest', others, inMemory())
}

const runs: Record<string, () => Promise<boolean>> = {
  usual: () => test('usual', usual, inMemory()),
  full,
  matrix,
  timings: () => test('usual', usual, { ...inMemory(), flags: ['--update-timings'] }),
}
const chosen = runs[run ?? 'usual']
if (chosen === undefined) throw new Error(`the run must be one of ${Object.keys(runs).join(', ')}`)
process.exit((await chosen()) ? 0 : 1)
