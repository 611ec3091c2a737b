import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commitOfBuild, VERSION } from '../src/runtime/built.ts'
import { billOfMaterials, notices } from './bill.ts'

// Makes everything that a release offers, in a folder of its own: `bun tools/release.ts [folder]` (default: dist/release).
// Executables for Linux on x64 and arm64, the npm package, the image's context, their checksums, the bill of materials and the
// licences of others. All of it comes from what git keeps: files it does not track are left out. Packages for arm64 come from
// the registry. One commit makes the same bytes each time.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ARCHITECTURES = ['x64', 'arm64']
/** What an operator has no use for. */
const LEFT_OUT = ['tests', 'bench', '.ci']

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist/release'))
const work = mkdtempSync(join(tmpdir(), 'openall-release-'))
const commit = commitOfBuild()
const name = `openall-${VERSION}`
const date = run(ROOT, 'git', 'log', '-1', '--format=%cI').trim()

try {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const tracked = join(work, 'tracked.tar')
  run(ROOT, 'git', 'archive', '--output', tracked, kept())
  for (const architecture of ARCHITECTURES) await makeExecutable(tracked, architecture)
  makePackage()
  makeContext(tracked)
  writeFileSync(join(folder, 'SHA256SUMS'), checksums())
  console.log(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd())
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** The commit, or one that holds today's changes and belongs to no branch: its build says `-dirty`. */
function kept(): string {
  const as = ['-c', 'user.name=release', '-c', 'user.email=release@localhost']
  return run(ROOT, 'git', ...as, 'stash', 'create').trim() || 'HEAD'
}

async function makeExecutable(tracked: string, architecture: string): Promise<void> {
  const source = unpacked(tracked, architecture)
  const bun = process.execPath
  run(source, bun, 'install', '--frozen-lockfile', '--production', '--os=linux', `--cpu=${architecture}`)
  run(source, bun, 'tools/single.ts', join(folder, `openall-server-linux-${architecture}`), architecture)
  if (architecture !== process.arch) return
  // npm takes packages that only development needs, and that are not here, for missing.
  const about = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(source, 'package.json'), JSON.stringify({ ...about, devDependencies: {} }))
  const bill = run(source, 'npm', 'sbom', '--sbom-format', 'cyclonedx')
  writeFileSync(join(folder, 'sbom.cdx.json'), await billOfMaterials(bill, source, date))
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), await notices(source))
}

function makePackage(): void {
  const files = join(work, 'package')
  run(ROOT, process.execPath, 'tools/pack.ts', files)
  run(files, process.execPath, 'pm', 'pack', '--destination', folder)
}

/** What `docker build .` and `docker compose up` need, with the commit in the Dockerfile. */
function makeContext(tracked: string): void {
  const source = unpacked(tracked, name)
  for (const path of LEFT_OUT) rmSync(join(source, path), { recursive: true, force: true })
  const dockerfile = join(source, 'Dockerfile')
  const text = readFileSync(dockerfile, 'utf8')
  const named = text.replace(/^ARG COMMIT=.*$/m, `ARG COMMIT=${commit}`)
  if (named === text) throw new Error('the Dockerfile has no line ARG COMMIT')
  writeFileSync(dockerfile, named)
  const same = ['--sort=name', `--mtime=${date}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w']
  run(work, 'tar', ...same, '--use-compress-program=gzip -n', '-cf', join(folder, `${name}-image.tar.gz`), name)
}

function unpacked(tracked: string, into: string): string {
  const place = join(work, into)
  mkdirSync(place)
  run(place, 'tar', '-xf', tracked)
  return place
}

/** A line for each file, as sha256sum writes and checks them. */
function checksums(): string {
  return readdirSync(folder)
    .sort()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('')
}

/** Runs a command that must succeed. Returns its output. */
function run(cwd: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd, env: { ...process.env, COMMIT: commit } })
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`)
  return stdout.toString()
}
