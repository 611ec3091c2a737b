import { spawnSync } from 'node:child_process'
import { findChromium } from './browser/chromium.ts'

// Run before the tests: finds the machine's Chromium, else installs Debian's, else says what to install.
if (findChromium() === null) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...words: string[]) => {
    const [command = '', ...args] = [...asRoot, ...words]
    return (
      spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
        .status === 0
    )
  }
  const isInstalled = run('apt-get', 'update', '-qq') && run('apt-get', 'install', '-y', '-qq', 'chromium')
  if (!isInstalled || findChromium() === null) {
    console.error(
      'The browser tests need Chromium: install it (Debian: apt install chromium) or set CHROMIUM to its path.',
    )
    process.exit(1)
  }
}
