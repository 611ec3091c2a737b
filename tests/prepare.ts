import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findHeadlessShell, has, IS_CI, NEED_NAMES, NEEDS, type NeedName, withPackages } from './needs.ts'

// Runs before the tests. On Debian, root gets Chromium alone: most of what somebody changes shows in a browser. With `all`,
// as in .ci/run, everything that any test needs is installed. What is then missing is left out (run.ts), but in CI it is an error.

const isRoot = process.getuid?.() === 0
const isDebian = existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
const mayInstall = process.argv[2] === 'all' || (isRoot && isDebian && !IS_CI)
const wanted: readonly NeedName[] = process.argv[2] === 'all' ? NEED_NAMES : ['Chromium']

if (mayInstall) install(wanted.filter((name) => !has(name)).map((name) => NEEDS[name]))
const stillMissing = NEED_NAMES.filter((name) => !NEEDS[name].isThere())
if (IS_CI && stillMissing.length > 0) {
  console.error(`With CI set nothing is left out, but this machine lacks ${stillMissing.map(withPackages).join(', ')}.`)
  process.exit(1)
}

function install(missing: readonly { packages: readonly string[]; isLean?: true }[]): void {
  // Optional: most browser tests run faster in Debian's headless shell than in full Chromium.
  const isShellMissing = findHeadlessShell() === null && process.env.CHROMIUM === undefined && isDebian
  if (missing.length === 0 && !isShellMissing) return
  const run = (...words: string[]) => {
    const [command = '', ...args] = [...(isRoot ? [] : ['sudo', '-n']), ...words]
    return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  }
  const add = (...words: string[]) => run('apt-get', 'install', '-y', '-qq', ...words)
  const packages = missing.filter(({ isLean }) => isLean === undefined).flatMap((one) => one.packages)
  const lean = missing.filter(({ isLean }) => isLean === true).flatMap((one) => one.packages)
  run('apt-get', 'update', '-qq')
  if (!isShellMissing || add(...packages, 'chromium-headless-shell').status !== 0) add(...packages)
  if (lean.length > 0) add('--no-install-recommends', ...lean)
}
