import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

// What some tests need that Node and npm do not bring. Imports no package: `.ci/run` installs it before there are any.

/** Something that a machine may lack. */
interface Need {
  isThere(): boolean
  /** The Debian packages that bring it. */
  packages: readonly string[]
  /** Whether the packages recommend much that no test needs: browsers of others, exporters that start by themselves. */
  isLean?: true
}

const isRoot = process.getuid?.() === 0
const isOnPath = (...programs: string[]) => programs.every((program) => Bun.which(program) !== null)
const program = (name: string, packageName = name): Need => ({ isThere: () => isOnPath(name), packages: [packageName] })

/** The command that gives a process mounts of its own; a user has them as root of a namespace of their own. */
export const OWN_MOUNTS: readonly string[] = ['unshare', '--mount', ...(isRoot ? [] : ['--map-root-user'])]
const mayMount = () => isOnPath('unshare') && Bun.spawnSync([...OWN_MOUNTS, 'true']).exitCode === 0

/** Debian's `libfaketime`: a file sets the wall clock of a process that loads it. */
export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

export const NEEDS = {
  Chromium: { isThere: () => findChromium() !== null, packages: ['chromium'] },
  Firefox: { isThere: () => findFirefox() !== null, packages: ['firefox-esr'], isLean: true },
  WebKit: {
    isThere: () => isOnPath('WebKitWebDriver', 'Xvfb'),
    packages: ['webkit2gtk-driver', 'xvfb'],
    isLean: true,
  },
  'redis-server': program('redis-server'),
  curl: program('curl'),
  jq: program('jq'),
  openssl: program('openssl'),
  caddy: program('caddy'),
  nginx: program('nginx', 'nginx-light'),
  Prometheus: { isThere: () => isOnPath('prometheus', 'promtool'), packages: ['prometheus'], isLean: true },
  faketime: { isThere: () => existsSync(FAKETIME), packages: ['faketime'] },
  'systemd-notify': program('systemd-notify', 'systemd'),
  debootstrap: {
    isThere: () => isOnPath('debootstrap', 'systemd-nspawn', 'nsenter'),
    packages: ['debootstrap', 'systemd-container'],
    isLean: true,
  },
  buildah: program('buildah'),
  'mounts of its own': { isThere: mayMount, packages: [] },
  root: { isThere: () => isRoot && mayMount(), packages: [] },
} satisfies Record<string, Need>
export type NeedName = keyof typeof NEEDS
export const NEED_NAMES = Object.keys(NEEDS) as NeedName[]

/** Whether this is continuous integration, where nothing may be left out. */
export const IS_CI = !['', '0', 'false'].includes(process.env.CI ?? '')

const known = new Map<NeedName, boolean>()
/** Whether this machine has it. */
export function has(name: NeedName): boolean {
  const is = known.get(name) ?? NEEDS[name].isThere()
  known.set(name, is)
  return is
}

/**
 * Says in a hook or a helper what the tests that get there need: run.ts leaves out the files of `needsOf` where it is missing.
 * @throws where it is missing nevertheless.
 */
export function need(...names: NeedName[]): void {
  const missing = names.filter((name) => !has(name))
  if (missing.length > 0) throw new Error(`this needs ${missing.map(withPackages).join(' and ')}`)
}

/** Whether to leave out a test, in a file whose others need less; never in CI, where it fails by what it lacks. */
export function isLeftOut(...names: NeedName[]): boolean {
  return !IS_CI && !names.every(has)
}

/** What a need is called, with what installs it. */
export function withPackages(name: NeedName): string {
  const { packages } = NEEDS[name]
  return packages.length === 0 ? name : `${name} (Debian: apt install ${packages.join(' ')})`
}

/** The path of Chromium or Chrome, or null; `CHROMIUM` overrides it. */
export function findChromium(): string | null {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return (
    process.env.CHROMIUM ??
    names.map((name) => Bun.which(name)).find((path) => path !== null) ??
    (existsSync(mac) ? mac : null)
  )
}

/**
 * The path of Chromium's headless shell, or null. It takes half the processor time, but has no pop-up blocker. Not used
 * if `CHROMIUM` names a browser.
 */
export function findHeadlessShell(): string | null {
  if (process.env.CHROMIUM !== undefined) return null
  return Bun.which('chromium-headless-shell') ?? Bun.which('chrome-headless-shell')
}

/** The path of Firefox, or null. */
export function findFirefox(): string | null {
  return Bun.which('firefox-esr') ?? Bun.which('firefox')
}

const CALLS = { all: /\bneed\(([^)]*)\)/g, some: /\bisLeftOut\(([^)]*)\)/g }
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+)'/g

/** A test's module: what it imports of the tests, and what it says that it needs. */
interface Module {
  readonly imports: readonly string[]
  readonly all: readonly NeedName[]
  readonly some: readonly NeedName[]
}

const modules = new Map<string, Module>()
function moduleAt(path: string): Module {
  const read = modules.get(path)
  if (read !== undefined) return read
  const text = path === 'tests/needs.ts' || !existsSync(path) ? '' : readFileSync(path, 'utf8')
  const namesIn = (call: RegExp) =>
    [...text.matchAll(call)].flatMap(([, args = '']) => NEED_NAMES.filter((name) => args.includes(`'${name}'`)))
  const imports = [...text.matchAll(IMPORT)]
    .map(([, to = '']) => normalize(join(dirname(path), to)))
    .filter((to) => to.startsWith('tests/'))
  const made: Module = { imports, all: namesIn(CALLS.all), some: namesIn(CALLS.some) }
  modules.set(path, made)
  return made
}

/** What a file of tests and its helpers need, by `need` for all of it or by `isLeftOut` for some of its tests. */
export function needsOf(file: string): { all: NeedName[]; some: NeedName[] } {
  const seen = new Set([file])
  // Grows as it is walked.
  for (const path of seen) for (const to of moduleAt(path).imports) seen.add(to)
  const found = [...seen].map(moduleAt)
  return {
    all: [...new Set(found.flatMap((one) => one.all))],
    some: [...new Set(found.flatMap((one) => one.some))],
  }
}
