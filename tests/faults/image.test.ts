import { expect, setDefaultTimeout, test } from 'bun:test'
import { chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../eventually.ts'
import { debian, whyNoMachine } from '../machine.ts'
import { freePort } from '../ports.ts'

// The Dockerfile built by buildah, on bases of Debian's own because the real ones are in a registry, and run as the first
// command of docs/self-hosting.md runs it: read-only, as its own user, with a folder /tmp from which nothing may be executed.
// Memory limits and published ports are Docker's own and are left out.

setDefaultTimeout(900_000)
const canRun = whyNoMachine === null && Bun.which('buildah') !== null
if (!canRun) console.warn('image.test.ts is skipped: it needs root, debootstrap and buildah')

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NONROOT = 65532
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

test.skipIf(!canRun)(
  'the image is built from the Dockerfile, serves on a read-only root, and backs itself up',
  async () => {
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
      run('cp', '-a', `${debian()}/.`, files)
      copyFileSync(process.execPath, join(files, 'usr/local/bin/bun'))
      // This machine may reach the registry through a proxy whose authority only it knows.
      if (existsSync(AUTHORITIES)) copyFileSync(AUTHORITIES, join(files, AUTHORITIES))
      run('chroot', files, 'useradd', `--uid=${NONROOT}`, '--user-group', '--key=UID_MAX=70000', 'nonroot')
      buildah('config', `--env=NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, '--user=nonroot', base)
      buildah('commit', '--quiet', base, 'service-base')
      buildah('config', '--user=root', base)
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
      const env = [
        ...Env,
        `PORT=${port}`,
        'SERVICE_BASE_URL=https://go.example.com',
        'SERVICE_BACKUP_DIR=/data/backups',
      ]
      const mounts = [
        'mount --bind "$0" "$0"',
        'mount --bind "$1" "$0/data"',
        'mount -t tmpfs -o noexec tmpfs "$0/tmp"',
        'mount -t proc proc "$0/proc"',
        'mount --rbind /dev "$0/dev"',
        'mount -o remount,bind,ro "$0"',
        'root=$0 && shift',
        `exec chroot --userspec=${User} "$root" /usr/bin/env -i "$@"`,
      ].join(' && ')
      const words = ['unshare', '--mount', 'sh', '-c', mounts, root, data, ...env, ...Entrypoint]
      const server = Bun.spawn(words, { stdout: 'pipe', stderr: 'inherit' })
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
  },
)
