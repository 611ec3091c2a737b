import { availableParallelism } from 'node:os'

// `bun run test`: every test file in a process of its own, as many at once as there are cores. Most of them wait for
// servers and browsers, and none knows of the others. Words after it choose files, as with `bun test`.

/** What takes longest begins first, in this order, so that it is not waited for at the end. */
const SLOWEST = [
  'browser/quality',
  'faults/stop-late',
  'tests/parity',
  'contract/abuse',
  'cli/commands',
  'browser/dashboard-editor',
  'browser/dashboard-rules',
  'sdk/package',
  'browser/dashboard-account',
  'browser/claim',
  'contract/identity-accounts',
  'browser/launcher',
  'browser/home',
  'contract/dashboard-account',
  'faults/sqld',
  'browser/open-all',
  'faults/kill',
  'browser/dashboard-import',
  'contract/backup',
  'faults/counting',
  'faults/within-a-second',
  'contract/identity-mail',
  'browser/dashboard-insights',
  'browser/slow',
  'browser/dashboard',
]
const TIMEOUT_MS = 60_000
const MAX_SHOWN = 4000

const words = process.argv.slice(2)
const files = [...new Bun.Glob('tests/**/*.test.{ts,tsx}').scanSync('.')]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => turnOf(a) - turnOf(b) || a.localeCompare(b))

function turnOf(file: string): number {
  const at = SLOWEST.findIndex((name) => file.includes(`${name}.test`))
  return at === -1 ? SLOWEST.length : at
}

const total = { pass: 0, fail: 0 }
/** What the files that failed printed, but for what passed. */
const failed: string[] = []

async function work(): Promise<void> {
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    const child = Bun.spawn([process.execPath, 'test', '--timeout', String(TIMEOUT_MS), `./${file}`], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    for (const kind of ['pass', 'fail'] as const) {
      total[kind] += Number(new RegExp(`^ *(\\d+) ${kind}$`, 'm').exec(err)?.[1] ?? 0)
    }
    if (code !== 0) failed.push(`failed: ${file}\n${err.replace(/^\(pass\).*\n/gm, '').slice(-MAX_SHOWN)}`)
    process.stdout.write(out + err)
  }
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
// Told again at the end, where whoever reads a long log looks first.
for (const text of failed) console.log(text)
console.log(`\n ${total.pass} pass\n ${total.fail} fail`)
// A file that broke off before its tests counts too.
process.exit(failed.length === 0 && total.pass > 0 ? 0 : 1)
