import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findChromium, findHeadlessShell } from './browser/chromium.ts'
import { KINDS } from './browser/engines.ts'

/** Programs that tests need: how to find each, its Debian package, and the message if it is missing. */
const NEEDED = [
  {
    isThere: () => findChromium() !== null,
    packageName: 'chromium',
    message: 'The browser tests need Chromium: install it (Debian: apt install chromium) or set CHROMIUM to its path.',
  },
  {
    isThere: () => Bun.which('redis-server') !== null,
    packageName: 'redis-server',
    message: 'The tests of shared limits need redis-server: install it (Debian: apt install redis-server).',
  },
  {
    isThere: () => Bun.which('curl') !== null,
    packageName: 'curl',
    message: 'The tests of docs/api-keys.md and docs/api.md need curl: install it (Debian: apt install curl).',
  },
  {
    isThere: () => Bun.which('caddy') !== null,
    packageName: 'caddy',
    message: 'The test of deploy/Caddyfile needs caddy: install it (Debian: apt install caddy).',
  },
  {
    isThere: () => Bun.which('nginx') !== null,
    packageName: 'nginx-light',
    message: 'The test of a proxy with a sign-in of its own needs nginx: install it (Debian: apt install nginx-light).',
  },
  {
    isThere: () => Bun.which('openssl') !== null,
    packageName: 'openssl',
    message: 'The tests of deploy/secrets.sh and of webhooks need openssl: install it (Debian: apt install openssl).',
  },
  {
    isThere: () => Bun.which('jq') !== null,
    packageName: 'jq',
    message: 'The test of docs/api.md needs jq: install it (Debian: apt install jq).',
  },
  {
    isThere: () => Bun.which('prometheus') !== null && Bun.which('promtool') !== null,
    packageName: 'prometheus',
    message: 'The test of deploy/alerts.yml needs Prometheus: install it (Debian: apt install prometheus).',
  },
]

/** What a Debian machine is made with, for tests/faults/self-hosting.test.ts; that needs root, so others do without. */
if (process.getuid?.() === 0)
  NEEDED.push({
    isThere: () =>
      Bun.which('debootstrap') !== null && Bun.which('systemd-nspawn') !== null && Bun.which('buildah') !== null,
    packageName: 'debootstrap systemd-container buildah',
    message:
      'The test of docs/self-hosting.md needs them: install them (Debian: apt install debootstrap systemd-container buildah).',
  })

/** Browsers that some machines lack; `BROWSERS=all`, which `.ci/run` sets, needs them too. */
const otherBrowsers = KINDS.filter(({ name }) => name !== 'Chromium').map(({ name, packages, isThere }) => ({
  isThere,
  packageName: packages.join(' '),
  message: `The tests of the launcher in ${name} need it: install it (Debian: apt install ${packages.join(' ')}).`,
}))
const isAllBrowsers = process.env.BROWSERS === 'all'

// Runs before the tests: installs missing programs on Debian, or says what to install.
const missing = [...NEEDED, ...(isAllBrowsers ? otherBrowsers : [])].filter(({ isThere }) => !isThere())
const leftOut = isAllBrowsers ? [] : otherBrowsers.filter(({ isThere }) => !isThere())
for (const { message } of leftOut) console.log(`Left out: ${message}`)
// Optional: most browser tests run faster in Debian's headless shell than in full Chromium.
const isShellMissing = findHeadlessShell() === null && process.env.CHROMIUM === undefined && isDebian()
if (missing.length > 0 || isShellMissing) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...commandLine: string[]) => {
    const [command = '', ...args] = [...asRoot, ...commandLine]
    return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  }
  run('apt-get', 'update', '-qq')
  const lean = [
    'prometheus',
    'debootstrap',
    'systemd-container',
    ...otherBrowsers.flatMap(({ packageName }) => packageName.split(' ')),
  ]
  const isWithoutRecommends = (name: string) => lean.includes(name)
  const names = missing.flatMap(({ packageName }) => packageName.split(' '))
  const packages = names.filter((name) => !isWithoutRecommends(name))
  const install = (names: string[]) => run('apt-get', 'install', '-y', '-qq', ...names)
  if (!isShellMissing || install([...packages, 'chromium-headless-shell']).status !== 0) install(packages)
  // Prometheus recommends exporters, which would start running on this machine; the browsers, much that no test needs.
  install(['--no-install-recommends', ...names.filter(isWithoutRecommends)])
  const stillMissing = missing.filter(({ isThere }) => !isThere())
  for (const { message } of stillMissing) console.error(message)
  if (stillMissing.length > 0) process.exit(1)
}

function isDebian(): boolean {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
}
