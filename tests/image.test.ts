import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocksOf, pageOf } from './docs/run.ts'

// The image and the compose file, without Docker: their rules, and the image's own steps in a clean folder.

setDefaultTimeout(300_000)

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
/** The Dockerfile's instructions, without comments. */
const steps = read('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return { word, rest }
  })

test('the Dockerfile keeps to what its linter would ask', () => {
  const words = [
    'ARG',
    'FROM',
    'WORKDIR',
    'COPY',
    'RUN',
    'ENV',
    'EXPOSE',
    'VOLUME',
    'HEALTHCHECK',
    'ENTRYPOINT',
    'USER',
  ]
  expect(steps.filter(({ word }) => !words.includes(word))).toEqual([])
  const of = (name: string) => steps.filter(({ word }) => word === name).map(({ rest }) => rest)
  // DL3006, DL3007: each base has a version, and none is `latest`.
  const bases = of('ARG').filter((rest) => rest.includes('BASE='))
  expect(bases.filter((base) => !/:[\w.]+$/.test(base) || base.endsWith(':latest'))).toEqual([])
  const stages = of('FROM').map((rest) => rest.split(' AS '))
  const known = stages.map(([, name]) => name)
  expect(stages.filter(([from = '']) => !from.startsWith('${') && !known.includes(from))).toEqual([])
  // DL3000, DL3002, DL3020, DL3025: absolute folders, no root at the end, COPY instead of ADD, programs as lists.
  expect(of('WORKDIR').every((path) => path.startsWith('/'))).toBeTrue()
  const last = steps.slice(steps.findLastIndex(({ word }) => word === 'FROM'))
  expect(last).toEqual([{ word: 'FROM', rest: 'service' }])
  expect(of('ENTRYPOINT').map((rest) => JSON.parse(rest))).toEqual([['/openall-server']])
  // DL3022, DL3023: a stage copies only from one before it.
  const froms = of('COPY').flatMap((rest) => rest.match(/--from=(\S+)/)?.[1] ?? [])
  expect(froms.filter((name) => name !== 'build')).toEqual([])
  // DL3003, DL3004, DL4001: no `cd`, no sudo, nothing fetched but packages with a lock file.
  expect(of('RUN').filter((rest) => /\b(?:cd|sudo|curl|wget|apt)\b/.test(rest))).toEqual([])
  expect(of('RUN')[0]).toBe('bun install --frozen-lockfile --production')
})

test('the compose file has only what compose knows', () => {
  const KEYS: Record<string, readonly string[]> = {
    top: ['name', 'services', 'networks', 'secrets', 'volumes'],
    service:
      `build image restart deploy ulimits env_file environment depends_on expose ports networks read_only tmpfs cap_drop cap_add
      security_opt stop_grace_period volumes secrets command healthcheck`.split(/\s+/),
  }
  const unknown = (what: object, kind: string) => Object.keys(what).filter((key) => !KEYS[kind]?.includes(key))
  type Named = Record<string, Record<string, unknown>>
  const compose = Bun.YAML.parse(read('docker-compose.yml')) as Record<
    'services' | 'networks' | 'secrets' | 'volumes',
    Named
  >
  expect(unknown(compose, 'top')).toEqual([])
  for (const [name, service] of Object.entries(compose.services)) {
    expect([name, unknown(service, 'service')]).toEqual([name, []])
    expect([name, 'build' in service || 'image' in service]).toEqual([name, true])
    for (const kind of ['networks', 'secrets'] as const) {
      const used = (service[kind] ?? []) as string[]
      expect([name, used.filter((each) => !(each in compose[kind]))]).toEqual([name, []])
    }
    const environment = (service.environment ?? {}) as Record<string, unknown>
    // Compose takes numbers and booleans for what YAML says they are: texts need quotes.
    expect([name, Object.values(environment).filter((value) => typeof value !== 'string')]).toEqual([name, []])
  }
})

test('compose’s processes share one place for files, which the docs name', () => {
  const { services, volumes } = Bun.YAML.parse(read('docker-compose.yml')) as {
    services: Record<string, { deploy: { replicas?: number }; volumes?: string[] }>
    volumes: Record<string, unknown>
  }
  expect(services.openall?.deploy.replicas).toBe(2)
  expect(services.openall?.volumes).toEqual(['openall:/data'])
  // Without a name, each container would have a volume of its own.
  expect(Object.keys(volumes)).toContain('openall')
  expect(pageOf('self-hosting.md')).toContain('`/data/blocked-hosts.txt`')
})

test('the image’s steps make what the container starts, which says the commit', async () => {
  const place = mkdtempSync(join(tmpdir(), 'openall-image-'))
  const [build, image] = [join(place, 'build'), join(place, 'image')]
  mkdirSync(image)
  const COMMIT = 'abc1234'
  try {
    mkdirSync(build)
    const [install, make] = steps.filter(({ word }) => word === 'RUN').map(({ rest }) => rest)
    const sh = (script = '') => {
      // `bun` is the one that runs this test.
      const words = ['sh', '-c', script.replaceAll(/\bbun\b(?= )/g, process.execPath)]
      const { exitCode, stderr } = Bun.spawnSync(words, { cwd: build, env: { ...process.env, COMMIT } })
      expect([script, exitCode, exitCode === 0 ? '' : stderr.toString()]).toEqual([script, 0, ''])
    }
    for (const file of ['package.json', 'bun.lock']) copyFileSync(join(ROOT, file), join(build, file))
    sh(install)
    // COPY . ., as git has it and without what .dockerignore leaves out.
    const out = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '')
    const files = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard'], { cwd: ROOT }).stdout.toString()
    const globs = out.map((pattern) => new Bun.Glob(`${pattern}{,/**}`))
    for (const file of files.trim().split('\n')) {
      if (!existsSync(join(ROOT, file)) || globs.some((glob) => glob.match(file))) continue
      cpSync(join(ROOT, file), join(build, file))
    }
    sh(make)
    for (const { rest } of steps.filter(({ word, rest }) => word === 'COPY' && rest.includes('--from=build'))) {
      const [from = '', to = ''] = rest.split(' ').filter((part) => !part.startsWith('--'))
      const [found = ''] = new Bun.Glob(from.slice('/build/'.length)).scanSync({ cwd: build, onlyFiles: false })
      expect([from, found !== '']).toEqual([from, true])
      cpSync(join(build, found), join(image, to), { recursive: true })
    }
    chmodSync(join(image, 'openall-server'), 0o755)
    const said = Bun.spawnSync([join(image, 'openall-server'), '--version']).stdout.toString()
    expect(said).toContain(`(${COMMIT})`)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})

test('the first command of the docs starts what the image is made for', () => {
  const [block = ''] = blocksOf(pageOf('self-hosting.md'), 'sh')
  const words = block.replaceAll('\\\n', ' ')
  for (const flag of [
    '--read-only',
    '--cap-drop ALL',
    'no-new-privileges',
    '-v openall:/data',
    '--restart unless-stopped',
  ])
    expect(words).toContain(flag)
  expect(words).toContain('SERVICE_BACKUP_DIR=/data/backups')
  expect(words).toMatch(/SERVICE_METRICS_PORT=9464 .*-p 127\.0\.0\.1:9464:9464/)
  expect(block.split('\n').filter((line) => /^\S/.test(line)).length).toBe(3)
})
