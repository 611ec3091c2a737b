import { spawnSync } from 'node:child_process'
import { findChromium } from './browser/chromium.ts'

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
    isThere: () => Bun.which('openssl') !== null,
    packageName: 'openssl',
    says: 'The test of deploy/secrets.sh needs openssl: install it (Debian: apt install openssl).',
  },
  {
    isThere: () => Bun.which('jq') !== null,
    packageName: 'jq',
    says: 'The test of docs/api.md needs jq: install it (Debian: apt install jq).',
  },
]

// Run before the tests: finds what is on the machine, else installs Debian's, else says what to install.
const missing = NEEDED.filter(({ isThere }) => !isThere())
if (missing.length > 0) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...words: string[]) => {
    const [command = '', ...args] = [...asRoot, ...words]
    return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  }
  run('apt-get', 'update', '-qq')
  run('apt-get', 'install', '-y', '-qq', ...missing.map(({ packageName }) => packageName))
  const stillMissing = missing.filter(({ isThere }) => !isThere())
  for (const { says } of stillMissing) console.error(says)
  if (stillMissing.length > 0) process.exit(1)
}
