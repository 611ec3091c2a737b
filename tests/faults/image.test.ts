import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../eventually.ts'
import { need } from '../needs.ts'
import { freePort } from '../ports.ts'

// The Dockerfile built by buildah, and run as the first command of docs/self-hosting.md runs it: read-only, as its own user,
// with a folder /tmp from which nothing may be executed. The real bases are in a registry: here the service's has, like that,
// libraries of C, two files of users and nothing that could be run; the build's adds a shell and Bun. Memory limits and published
// ports are Docker's own and are left out.

setDefaultTimeout(900_000)
beforeAll(() => need('root', 'buildah'))

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NONROOT = 65532
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

test('the image is built from the Dockerfile, serves on a read-only root, and backs itself up', async () => {
  const place = mkdtempSync(join(tmpdir(), 'openall-buildah-'))
  const run = (...words: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd: ROOT })
    expect([words, exitCode, exitCode === 0 ? '' : stderr.toString()]).toEqual([words, 0, ''])
    return stdout.toString().trim()
  }
  const buildah = (...words: string[]) =>
    run('buildah', '--storage-driver=overlay', `--root=${place}/store`, `--runroot=${place}/run`, ...words)
  const base = buildah('from', 'scratch')
  try {
    const files = buildah('mount', base)
    makeServiceBase(files, run)
    buildah('config', '--user=nonroot', base)
    buildah('commit', '--quiet', base, 'service-base')
    for (const program of ['/bin/sh', '/bin/mkdir']) copyInto(files, [program, ...librariesOf(program, run)], run)
    mkdirSync(join(files, 'usr/local/bin'), { recursive: true })
    copyFileSync(process.execPath, join(files, 'usr/local/bin/bun'))
    // This machine may reach the registry through a proxy whose authority only it knows.
    if (existsSync(AUTHORITIES)) copyInto(files, [AUTHORITIES], run)
    buildah('config', '--user=root', `--env=NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, base)
    buildah('commit', '--quiet', base, 'build-base')
    const args = ['BUILD_BASE=localhost/build-base', 'BASE=localhost/service-base', 'COMMIT=abc1234']
    buildah(
      'bud',
      '--isolation=chroot',
      '--pull-never',
      ...args.map((arg) => `--build-arg=${arg}`),
      '--tag=openall',
      '.',
    )
    const { User, Env, Entrypoint } = (
      JSON.parse(buildah('inspect', '--type=image', 'openall')) as {
        OCIv1: { config: { User: string; Env: string[]; Entrypoint: string[] } }
      }
    ).OCIv1.config
    expect([User, Entrypoint]).toEqual(['nonroot', ['/openall-server']])

    const root = buildah('mount', buildah('from', '--pull-never', 'openall'))
    const data = join(place, 'data')
    mkdirSync(data, { mode: 0o700 })
    chownSync(data, NONROOT, NONROOT)
    const port = String(freePort())
    const given = [
      ...Env,
      `PORT=${port}`,
      'SERVICE_BASE_URL=https://go.example.com',
      'SERVICE_BACKUP_DIR=/data/backups',
    ]
    const env = Object.fromEntries(given.map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]))
    const mounts = [
      'mount --bind "$0" "$0"',
      'mount --bind "$1" "$0/data"',
      'mount -t tmpfs -o noexec tmpfs "$0/tmp"',
      'mount -t proc proc "$0/proc"',
      'mount --rbind /dev "$0/dev"',
      'mount -o remount,bind,ro "$0"',
      'root=$0 && shift',
      `exec chroot --userspec=${User} "$root" "$@"`,
    ].join(' && ')
    const words = ['unshare', '--mount', 'sh', '-c', mounts, root, data, ...Entrypoint]
    const { PATH } = process.env
    const server = Bun.spawn(words, { env: { ...env, PATH }, stdout: 'ignore', stderr: 'inherit' })
    try {
      const ready = () =>
        fetch(`http://127.0.0.1:${port}/readyz`, { headers: { host: 'go.example.com' } }).catch(() => null)
      await eventually(async () => (await ready())?.ok === true, 'the image serves', 60_000)
      const isBackedUp = () =>
        existsSync(join(data, 'backups')) && readdirSync(join(data, 'backups')).some((name) => name.endsWith('Z.db'))
      await eventually(isBackedUp, 'a backup is made by itself', 30_000)
    } finally {
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)
    }
    expect(run(join(root, 'openall-server'), '--version')).toContain('(abc1234)')
  } finally {
    buildah('umount', '--all')
    rmSync(place, { recursive: true, force: true })
  }
})

type Run = (...words: string[]) => string

/** What the real base of the service has: what libSQL's library and the executable load, users, and folders to mount on. */
function makeServiceBase(files: string, run: Run): void {
  for (const folder of ['dev', 'etc', 'proc', 'tmp']) mkdirSync(join(files, folder))
  writeFileSync(join(files, 'etc/passwd'), `root:x:0:0::/:/none\nnonroot:x:${NONROOT}:${NONROOT}::/:/none\n`)
  writeFileSync(join(files, 'etc/group'), `root:x:0:\nnonroot:x:${NONROOT}:\n`)
  const [native = ''] = new Bun.Glob('node_modules/@libsql/linux-*-gnu/index.node').scanSync(ROOT)
  copyInto(
    files,
    [process.execPath, native].flatMap((file) => librariesOf(file, run)),
    run,
  )
}

/** The libraries that a program of this machine loads, by path. */
function librariesOf(file: string, run: Run): string[] {
  const found = run('ldd', realpathSync(resolve(ROOT, file)))
  return Array.from(found.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(/gm), ([, path = '']) => path)
}

function copyInto(files: string, paths: readonly string[], run: Run): void {
  run('cp', '--dereference', '--parents', ...paths, files)
}
