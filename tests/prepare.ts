import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findChromium, findHeadlessShell } from './browser/chromium.ts'

/** What tests need of the machine: how it is found, Debian's package of it, and whom it serves. */
const NEEDED = [
  {
    isThere: () => findChromium() !== null,
    packageName: 'chromium',
    says: 'The browser tests need Chromium: install it (Debian: apt install chromium) or set CHROMIUM to its path.',
  },
  {
    isThere: () => Bun.which('redis-server') !== null,
    packageName: 'redis-server',
    says: 'The tests of shared limits need redis-server: install it (Debian: apt install redis-server).',
  },
  {
    isThere: () => Bun.which('curl') !== null,
    packageName: 'curl',
    says: 'The tests of docs/api-keys.md and docs/api.md need curl: install it (Debian: apt install curl).',
  },
  {
    isThere: () => Bun.which('caddy') !== null,
    packageName: 'caddy',
    says: 'The test of deploy/Caddyfile needs caddy: install it (Debian: apt install caddy).',
  },
  {
    isThere: () => Bun.which('openssl') !== null,
    packageName: 'openssl',
    says: 'The test of deploy/secrets.sh needs openssl: install it (Debian: apt install openssl).',
  },
  {
    isThere: () => Bun.which('jq') !== null,
    packageName: 'jq',
    says: 'The test of docs/api.md needs jq: install it (Debian: apt install jq).',
  },
  {
    isThere: () => Bun.which('prometheus') !== null && Bun.which('promtool') !== null,
    packageName: 'prometheus',
    says: 'The test of deploy/alerts.yml needs Prometheus: install it (Debian: apt install prometheus).',
  },
]

// Run before the tests: finds what is on the machine, else installs Debian's, else says what to install.
const missing = NEEDED.filter(({ isThere }) => !isThere())
// Debian's half of Chromium that most browser tests run in; without it they take the whole.
const isShellMissing = findHeadlessShell() === null && process.env.CHROMIUM === undefined && isDebian()
if (missing.length > 0 || isShellMissing) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...words: string[]) => {
    const [command = '', ...args] = [...asRoot, ...words]
    return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  }
  run('apt-get', 'update', '-qq')
  const isBare = (name: string) => name === 'prometheus'
  const names = missing.map(({ packageName }) => packageName)
  const packages = names.filter((name) => !isBare(name))
  const install = (names: string[]) => run('apt-get', 'install', '-y', '-qq', ...names)
  if (!isShellMissing || install([...packages, 'chromium-headless-shell']).status !== 0) install(packages)
  // It recommends exporters, which would run on this machine from then on.
  install(['--no-install-recommends', ...names.filter(isBare)])
  const stillMissing = missing.filter(({ isThere }) => !isThere())
  for (const { says } of stillMissing) console.error(says)
  if (stillMissing.length > 0) process.exit(1)
}

function isDebian(): boolean {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
}
