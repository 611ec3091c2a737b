import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SETTINGS } from '../src/config/settings.ts'
import { COMMANDS } from '../src/operator/commands.ts'
import { create } from './contract/support.ts'
import { eventually } from './eventually.ts'
import { need, OWN_MOUNTS } from './needs.ts'
import { freePort } from './ports.ts'
import { startRedis } from './redis.ts'
import { startServer } from './server.ts'
import { startSqld } from './sqld.ts'

// Only guards against hanging: the executable is linked and started a dozen times, and the machine may be busy.
setDefaultTimeout(300_000)
const START_PATIENCE_MS = 90_000

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const FILES = [
  'Dockerfile',
  'docker-compose.yml',
  'fly.toml',
  'deploy/openall.service',
  'deploy/Caddyfile',
  'deploy/secrets.sh',
  'docs/self-hosting.md',
  'docs/security.md',
]

test('the documentation names only settings and commands that exist', () => {
  const named = FILES.flatMap((file) => read(file).match(/\b(?:SERVICE|DATABASE|SMTP|REDIS|OIDC)_[A-Z_]+\b/g) ?? [])
  expect(named.length).toBeGreaterThan(20)
  expect([...new Set(named)].filter((name) => !(name in SETTINGS))).toEqual([])
  const said = FILES.flatMap((file) =>
    [
      ...read(file).matchAll(
        /openall-(?:server|admin)(?:"?,? "?)((?:(?:users|organizations) )?[a-z][a-z-]+)(?![\w/-])/g,
      ),
    ].map(([, word = '']) => word),
  )
  expect([...new Set(said)].sort()).toEqual(Object.keys(COMMANDS).sort())
})

test('every setting that an operator writes reaches the service, whichever way it is deployed', () => {
  const written = Object.keys(SETTINGS)
  const { services } = Bun.YAML.parse(read('docker-compose.yml')) as {
    services: { openall: { env_file?: string; environment: Record<string, string> } }
  }
  const { env_file, environment } = services.openall
  // Compose gives a container what its env_file holds, and what `environment` says over it.
  const inCompose = [...(env_file === '.env' ? written : []), ...Object.keys(environment)]
  expect(written.filter((name) => !inCompose.includes(name))).toEqual([])
  // What compose itself decides cannot be written.
  const fixed = Object.keys(environment).filter((name) => environment[name]?.includes(`\${${name}:?`) !== true)
  expect(fixed.sort()).toEqual([
    'DATABASE_URL',
    'REDIS_URL',
    'SERVICE_CLIENT_IP_HEADER',
    'SERVICE_METRICS_HOST',
    'SERVICE_METRICS_PORT',
  ])
  // systemd lets a file overrule what the unit itself sets.
  expect(read('deploy/openall.service')).toMatch(/^EnvironmentFile=-\/etc\/openall\.env$/m)
  expect(read('docs/self-hosting.md')).toContain('/etc/openall.env')
  // On Fly all come from secrets, save what fly.toml sets: names that exist.
  const { env } = Bun.TOML.parse(read('fly.toml')) as { env: Record<string, string> }
  expect(Object.keys(env).filter((name) => !written.includes(name))).toEqual([])
})

test('fly.toml stops idle machines and checks the process and the database, both by address', () => {
  const fly = Bun.TOML.parse(read('fly.toml')) as {
    http_service: {
      auto_stop_machines: string
      min_machines_running: number
      checks: { path: string }[]
    }
  }
  const { auto_stop_machines, min_machines_running, checks } = fly.http_service
  expect([auto_stop_machines, min_machines_running]).toEqual(['stop', 0])
  expect(checks.map(({ path }) => path)).toEqual(['/healthz', '/readyz'])
})

test('the compose file reads what deploy/secrets.sh makes: the stores accept the service, and nobody without it', async () => {
  const place = mkdtempSync(join(tmpdir(), 'openall-secrets-'))
  const run = () => Bun.spawnSync(['sh', join(ROOT, 'deploy/secrets.sh'), 'https://go.example.com'], { cwd: place })
  expect(run().exitCode).toBe(0)
  expect(run().stderr.toString()).toContain('.env already exists')
  const lines = readFileSync(join(place, '.env'), 'utf8').trim().split('\n')
  const made = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]))
  const compose = read('docker-compose.yml')
  const wanted = [...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name = '']) => name)
  expect(Object.keys(made).sort()).toEqual([...new Set(wanted)].sort())
  expect(readdirSync(join(place, 'secrets')).map((name) => [name, compose.includes(`./secrets/${name}`)])).toEqual([
    ['sqld.pem', true],
    ['valkey.conf', true],
  ])
  for (const name of ['.env', 'secrets']) expect(statSync(join(place, name)).mode & 0o077).toBe(0)

  const { SERVICE_SECRET = '', DATABASE_AUTH_TOKEN = '', VALKEY_PASSWORD } = made
  const sqld = await startSqld({ keyFile: join(place, 'secrets/sqld.pem'), token: DATABASE_AUTH_TOKEN })
  const redis = await startRedis(join(place, 'secrets/valkey.conf'))
  try {
    const nobody = { DATABASE_URL: sqld.url, SERVICE_SECRET }
    await expect(startServer({ env: nobody, database: sqld.url })).rejects.toThrow('DATABASE_URL cannot be used')
    const REDIS_URL = redis.url.replace('//', `//:${VALKEY_PASSWORD}@`)
    const server = await startServer({ env: { ...nobody, DATABASE_AUTH_TOKEN, REDIS_URL }, database: sqld.url })
    const made = await fetch(`${server.origin}/api/links`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: ['https://a.example'] }),
    })
    expect(made.status).toBe(201)
    expect(server.output()).not.toContain('Redis is down')
    await server.stop()
    const stranger = await startServer({ env: { REDIS_URL: redis.url } })
    await create(stranger, { urls: ['https://a.example'] })
    expect(stranger.output()).toContain('Redis is down')
    await stranger.stop()
  } finally {
    await Promise.all([sqld.stop(), redis.kill()])
    rmSync(place, { recursive: true })
  }
})

test('every container has a memory limit and a version, and cannot gain privileges', () => {
  const { services } = Bun.YAML.parse(read('docker-compose.yml')) as {
    services: Record<
      string,
      { image?: string; deploy: { resources: { limits: { memory: string; pids: number } } }; security_opt: string[] }
    >
  }
  for (const [name, { image, deploy, security_opt }] of Object.entries(services)) {
    expect([name, deploy.resources.limits.memory]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)])
    expect([name, security_opt]).toEqual([name, ['no-new-privileges:true']])
    if (image !== undefined) expect([name, image]).toEqual([name, expect.stringMatching(/:v?\d+\.\d+\.\d+|@sha256:/)])
  }
  expect(read('deploy/openall.service')).toMatch(/^MemoryMax=/m)
  expect(Bun.TOML.parse(read('fly.toml'))).toMatchObject({ vm: [{ memory: expect.stringMatching(/mb$/) }] })
})

test('after one visit over TLS, browsers use only TLS for a year, whichever proxy terminates it', () => {
  const policy = 'max-age=31536000'
  expect(read('deploy/Caddyfile')).toContain(`header Strict-Transport-Security "${policy}"`)
  expect(Bun.TOML.parse(read('fly.toml'))).toMatchObject({
    http_service: {
      force_https: true,
      http_options: { response: { headers: { 'Strict-Transport-Security': policy } } },
    },
  })
})

test('the compose file defines everything it refers to, and exposes only the proxy', () => {
  const { name, services, volumes } = Bun.YAML.parse(read('docker-compose.yml')) as {
    name: string
    services: Record<
      string,
      {
        ports?: string[]
        expose?: string[]
        depends_on?: object
        volumes?: string[]
        environment?: Record<string, string>
        deploy: { replicas?: number }
      }
    >
    volumes: object
  }
  // Compose numbers the containers of a service from 1.
  const { deploy, expose = [] } = services.openall ?? { deploy: {} }
  const processes = Array.from({ length: deploy.replicas ?? 1 }, (_, at) => `${name}-openall-${at + 1}:${expose[0]}`)
  expect(services.caddy?.environment?.UPSTREAM?.split(' ')).toEqual(processes)
  expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(services.openall?.depends_on ?? {})))
  expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(['caddy'])
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.filter((volume) => !volume.startsWith('.')),
  )
  expect(Object.keys(volumes).sort()).toEqual(mounted.map((volume) => volume.split(':')[0] ?? '').sort())
})

test('neither commits nor images contain secrets or data', () => {
  const names = [
    '.env',
    '.env.production',
    'data/openall.db',
    'openall.db.secret',
    'copy.db',
    'copy.db-wal',
    'backups/a.db',
    'secrets/valkey.conf',
  ]
  const ignored = (file: string) => {
    const patterns = read(file)
      .split('\n')
      .filter((line) => line !== '')
    const globs = patterns.map((pattern) => new Bun.Glob(`{,**/}${pattern.replace(/^\*\*\/|\/$/g, '')}{,/**}`))
    return names.filter((name) => globs.some((glob) => glob.match(name)))
  }
  expect(ignored('.gitignore')).toEqual(names)
  expect(ignored('.dockerignore')).toEqual(names)
})

const TOKEN = 'a token of the tests'

/** The executable, built as for the image, in an otherwise empty folder. */
let folder: string
let binary: string
beforeAll(async () => {
  need('openssl', 'mounts of its own')
  folder = mkdtempSync(join(tmpdir(), 'openall-single-'))
  mkdirSync(join(folder, 'tmp'))
  binary = join(folder, 'openall-server')
  const [, made = ''] = /^RUN bun (tools\/single\.ts) openall-server\b/m.exec(read('Dockerfile')) ?? []
  const build = Bun.spawn([process.execPath, made, binary], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  if ((await build.exited) !== 0) throw new Error(await new Response(build.stderr).text())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the executable runs on its own, and accepts operator commands', async () => {
  const port = String(freePort())
  const origin = `http://localhost:${port}`
  const env = {
    PORT: port,
    TMPDIR: join(folder, 'tmp'),
    DATABASE_URL: `file:${join(folder, 'data/one.db')}`,
    SERVICE_BACKUP_DIR: join(folder, 'backups'),
    SERVICE_METRICS_TOKEN: TOKEN,
  }
  const say = async (...words: string[]) => {
    const child = Bun.spawn([binary, ...words], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
    return { code: await child.exited, text: await new Response(child.stdout).text() }
  }
  expect((await say('health')).code).toBe(1)
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const commit = Bun.spawnSync(['git', 'describe', '--always', '--dirty', '--exclude=*'], { cwd: ROOT }).stdout
  expect((await say('--version')).text.trim()).toBe(`${version} (${commit.toString().trim()})`)
  const server = Bun.spawn([binary], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  await eventually(async () => (await say('health')).code === 0, 'the executable serves', START_PATIENCE_MS)
  const post = (path: string, body: unknown) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const made = (await (await post('/api/links', { urls: ['https://a.example'] })).json()) as {
    slug: string
    url: string
  }
  const page = await (await fetch(made.url)).text()
  expect(await typeOfPicture(origin, made.slug)).toBe('image/png')
  const parts = [...page.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(parts.length).toBeGreaterThan(2)
  for (const path of parts) {
    const answer = await fetch(`${origin}${path}`)
    expect([path, answer.status, (await answer.text()).length > 100]).toEqual([path, 200, true])
  }
  const signUp = await post('/api/auth/sign-up/email', {
    email: 'a@people.example',
    password: 'correct horse',
    name: 'A',
  })
  expect(signUp.status).toBe(200)
  const cookie = signUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const dashboard = await fetch(`${origin}/dashboard`, { headers: { cookie } })
  expect([dashboard.status, (await dashboard.text()).includes('Bundles')]).toEqual([200, true])
  const metrics = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  expect(await metrics.text()).toMatch(/^openall_build_info\{version="[\d.]+",commit="(?!unknown)[^"]+"/m)
  expect((await say('block', made.slug, 'a test')).code).toBe(0)
  const backup = JSON.parse((await say('backup', join(folder, 'copy.db'), '--json')).text) as { bundles: number }
  expect(backup.bundles).toBe(1)
  const isBackedUp = () => readdirSync(join(folder, 'backups')).some((name) => name.endsWith('.db'))
  await eventually(isBackedUp, 'a backup is made by itself')
  expect((await say('verify', join(folder, 'backups'))).code).toBe(0)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  const kept = ['data', 'data/one.db', 'data/one.db.secret', 'copy.db', 'copy.db.secret', 'backups']
  expect(kept.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([])
  expect(readdirSync(folder).sort()).toEqual([
    'backups',
    'copy.db',
    'copy.db.secret',
    'copy.db.sha256',
    'data',
    'openall-server',
    'tmp',
  ])
  // libSQL's library, once for all starts, because none is beside the executable.
  expect(readdirSync(join(folder, 'tmp'))).toEqual([expect.stringMatching(/^\.bun-\S+\.node$/)])
})

/** What a launcher's preview picture is answered with: an icon without a validator takes its place where it cannot be drawn. */
async function typeOfPicture(origin: string, slug: string) {
  const answer = await fetch(`${origin}/l/${slug}/picture.png`, { redirect: 'manual' })
  return answer.headers.has('etag') ? answer.headers.get('content-type') : answer.status
}

/** Runs the executable with a temporary folder that forbids execution, as Docker mounts one. */
function withoutExec(executable: string, env: Record<string, string>, ...words: string[]) {
  const tmp = join(folder, 'noexec')
  mkdirSync(tmp, { recursive: true })
  const run = 'mount -t tmpfs -o noexec tmpfs "$TMPDIR" && exec "$@"'
  return Bun.spawn([...OWN_MOUNTS, 'sh', '-c', run, 'sh', executable, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: tmp, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

test('if nothing may be executed from /tmp, the image works with its library, and without it says what to do', async () => {
  const port = String(freePort())
  const env = { PORT: port, DATABASE_URL: `file:${join(folder, 'noexec-data/one.db')}` }
  const alone = withoutExec(binary, env)
  expect(await alone.exited).toBe(1)
  expect(await new Response(alone.stderr).text()).toBe(
    `libSQL's native library cannot be loaded from ${join(folder, 'noexec')}: mount that with \`exec\`, or set TMPDIR to a folder that is.\n`,
  )
  // It runs every few seconds, so it must load nothing of the service: not even what cannot be loaded here.
  const check = withoutExec(binary, env, 'health')
  expect(await check.exited).toBe(1)
  expect(await new Response(check.stderr).text()).toContain('Unable to connect')
  const image = join(folder, 'image')
  mkdirSync(image)
  linkSync(binary, join(image, 'openall-server'))
  const [, from = '', to = ''] =
    /^COPY --from=build \/build\/(node_modules\S+index\.node) \/(\S+)$/m.exec(read('Dockerfile')) ?? []
  const [native = ''] = new Bun.Glob(from).scanSync(ROOT)
  copyFileSync(join(ROOT, native), join(image, to))
  const server = withoutExec(join(image, 'openall-server'), env)
  try {
    const isReady = async () => (await fetch(`http://localhost:${port}/readyz`).catch(() => null))?.ok === true
    await eventually(isReady, 'the image serves', START_PATIENCE_MS)
    const { body } = await create({ origin: `http://localhost:${port}` }, { urls: ['https://a.example'] })
    expect(await typeOfPicture(`http://localhost:${port}`, body.slug)).toBe('image/png')
  } finally {
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    rmSync(image, { recursive: true })
  }
})
