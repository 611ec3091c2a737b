import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }
import { commitOfBuild, VERSION } from '../src/runtime/built.ts'

// `bun run release`, once, as somebody who releases runs it.

// Only guards against hanging: it packs three programs, beside browsers on a busy machine.
setDefaultTimeout(900_000)

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = `openall-${VERSION}.tgz`
const CONTEXT = `openall-${VERSION}-image.tar.gz`

/** How an ELF header begins, of 64 bits and little-endian, and the numbers of processors in it. */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
const MACHINES = [
  ['x64', 62],
  ['arm64', 183],
] as const

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openall-released-'))
  run(ROOT, process.execPath, 'tools/release.ts', folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(cwd: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd })
  expect([words, exitCode, exitCode === 0 ? '' : stderr.toString()]).toEqual([words, 0, ''])
  return stdout.toString()
}

test('one command makes everything that is released, with checksums that hold', () => {
  const executables = ['openall-server-linux-arm64', 'openall-server-linux-x64']
  const made = [PACKAGE, CONTEXT, ...executables, 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']
  expect(readdirSync(folder).sort()).toEqual(['SHA256SUMS', ...made].sort())
  const checked = run(folder, 'sha256sum', '--check', 'SHA256SUMS').trim().split('\n')
  expect(checked.sort()).toEqual(made.map((name) => `${name}: OK`).sort())
})

test('one commit makes the same bytes, whenever and wherever it is built', () => {
  const name = `openall-server-linux-${process.arch}`
  const again = mkdtempSync(join(tmpdir(), 'openall-again-'))
  // From this folder, after the release built it from one of its own.
  run(ROOT, process.execPath, 'tools/single.ts', join(again, name))
  const sums = run(again, 'sha256sum', name, join(folder, name)).split('\n')
  expect(sums[0]?.slice(0, 64)).toBe(sums[1]?.slice(0, 64) ?? '')
  rmSync(again, { recursive: true })
  // The rest has no time but the commit's, and none at all in the package, as npm has it.
  const date = run(ROOT, 'git', 'log', '-1', '--format=%cI').trim()
  const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as { metadata: { timestamp: string } }
  expect(bill.metadata.timestamp).toBe(new Date(date).toISOString())
  const times = (archive: string) => {
    const lines = run(folder, 'tar', '--full-time', '--utc', '-tvzf', archive).trim().split('\n')
    return [...new Set(lines.map((line) => /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(line)?.[0]))]
  }
  expect(times(CONTEXT)).toEqual([new Date(date).toISOString().slice(0, 19).replace('T', ' ')])
  expect(times(PACKAGE)).toEqual(['1985-10-26 08:15:00'])
})

test('each executable is for its processor, and says which version and commit it is', () => {
  for (const [name, machine] of MACHINES) {
    const bytes = readFileSync(join(folder, `openall-server-linux-${name}`))
    const machines: number[] = []
    for (let at = bytes.indexOf(ELF); at !== -1; at = bytes.indexOf(ELF, at + 1)) {
      // Programs and libraries; other places where the letters stand are no headers.
      if ([2, 3].includes(bytes.readUInt16LE(at + 16))) machines.push(bytes.readUInt16LE(at + 18))
    }
    // Bun itself, and libSQL's library in it.
    expect([name, machines.length >= 2, [...new Set(machines)]]).toEqual([name, true, [machine]])
  }
  const own = join(folder, `openall-server-linux-${process.arch}`)
  expect(run(folder, own, '--version').trim()).toBe(`${VERSION} (${commitOfBuild()})`)
})

test('the package is the command and the client', () => {
  const files = run(folder, 'tar', '-tzf', PACKAGE).trim().split('\n')
  expect(files).toEqual(expect.arrayContaining(['package/package.json', 'package/cli.js', 'package/openall.d.ts']))
})

test('the context has what the image is built from, names its commit, and nothing that is only for development', () => {
  const files = run(folder, 'tar', '-tzf', CONTEXT)
    .trim()
    .split('\n')
    .map((path) => path.split('/').slice(1).join('/'))
  const wanted = ['Dockerfile', '.dockerignore', 'bun.lock', 'tools/single.ts', 'deploy/secrets.sh', 'CHANGELOG.md']
  expect(files).toEqual(expect.arrayContaining(wanted))
  expect(files.filter((path) => /^(?:tests|bench|\.ci|\.git|node_modules)\//.test(path))).toEqual([])
  const dockerfile = run(folder, 'tar', '-xOzf', CONTEXT, `openall-${VERSION}/Dockerfile`)
  expect(dockerfile).toContain(`\nARG COMMIT=${commitOfBuild()}\n`)
})

test('the bill of materials lists each package that the service consists of, with its version and licence', () => {
  const { bomFormat, components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as {
    bomFormat: string
    components: {
      name: string
      version: string
      purl: string
      licenses?: { license: { id?: string; name?: string } }[]
    }[]
  }
  expect(bomFormat).toBe('CycloneDX')
  const listed = components.map(({ name, version }) => `${name}@${version}`)
  const direct = Object.entries(about.dependencies).map(([name, version]) => `${name}@${version}`)
  expect(direct.filter((name) => !listed.includes(name))).toEqual([])
  expect(listed.filter((name) => /^(?:playwright-core|knip|@biomejs\/biome|deno)@/.test(name))).toEqual([])
  expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([])
  // The page for operators has each of them.
  const page = readFileSync(join(ROOT, 'docs/self-hosting.md'), 'utf8')
  const licences = components
    .filter(({ purl }) => purl.startsWith('pkg:npm/'))
    .flatMap(({ licenses = [] }) => licenses.map(({ license: { id, name } }) => id ?? name))
  expect([...new Set(licences)].filter((licence) => !page.includes(`\`${licence}\``))).toEqual([])
  // What is no package is Bun's, by the version that is in the executable.
  const own = components.filter(({ purl }) => !purl.startsWith('pkg:npm/')).map(({ name, version }) => [name, version])
  const { webkit, boringssl, sqlite } = process.versions
  const some = [
    ['Bun', Bun.version],
    ['JavaScriptCore (WebKit)', webkit],
    ['BoringSSL', boringssl],
    ['SQLite', sqlite],
  ]
  expect(own).toEqual(expect.arrayContaining(some))
  const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  expect(components.filter(({ name, version }) => !notices.includes(`\n${name} ${version}: `))).toEqual([])
  // The text of a licence of each kind, and of one in a folder of its own.
  for (const text of ['Permission is hereby granted', 'Apache License', 'SIL OPEN FONT LICENSE', 'Creative Commons'])
    expect(notices).toContain(text)
})
