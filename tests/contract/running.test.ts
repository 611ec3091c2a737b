import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { readConfig } from '../../src/config/config.ts'
import { BadSetting, SETTINGS } from '../../src/config/settings.ts'
import { openLog } from '../../src/runtime/log.ts'
import { startService } from '../../src/runtime/service.ts'
import { eventually } from '../eventually.ts'
import { isLeftOut, OWN_MOUNTS } from '../needs.ts'
import { freePort } from '../ports.ts'
import { command, RUNTIMES, type Server, startServer } from '../server.ts'
import { testOnce } from '../targets.ts'
import { create, newSlug, requestText, START_MS, sendEvent, sendRaw, storedBundle, submit, URL_OK } from './support.ts'

const GOOD_SECRET = 'a secret of the tests, forty characters long'

/** Hashes of the first and the last of the 27 migrations that became two before the first release. */
const UNRELEASED = [
  '0565557e8f5f3da891d3bf26aec289c9afd28b0aa8ee9eabe758f45816254f1f',
  '2ef92ff109855df61d64d7a3170cbbdd02c4c37644e6cadd8a3ceb641feffaa6',
]

/** Invalid settings, and the setting that the error must name. */
const BAD_SETTINGS: [Record<string, string>, string][] = [
  [{ PORT: 'http' }, 'PORT'],
  [{ PORT: '0' }, 'PORT'],
  [{ PORT: '65536' }, 'PORT'],
  [{ SERVICE_BASE_URL: 'go.example.com' }, 'SERVICE_BASE_URL'],
  [{ SERVICE_BASE_URL: 'https://go.example.com/path' }, 'SERVICE_BASE_URL'],
  [{ SERVICE_NAME: 'x'.repeat(61) }, 'SERVICE_NAME'],
  [{ SERVICE_NAME: ' ' }, 'SERVICE_NAME'],
  [{ SERVICE_NAME: 'Open\nall' }, 'SERVICE_NAME'],
  [{ SERVICE_NAME: 'Open\u0085all' }, 'SERVICE_NAME'],
  [{ SERVICE_NAME: 'Open\u202eall' }, 'SERVICE_NAME'],
  [{ SERVICE_MAIL_FROM: 'Openall <no-reply@go.example.com>\nBcc: all@go.example.com' }, 'SERVICE_MAIL_FROM'],
  [{ SERVICE_MAIL_FROM: '  ' }, 'SERVICE_MAIL_FROM'],
  [{ SERVICE_MAIL_FROM: 'Openall' }, 'SERVICE_MAIL_FROM'],
  [{ SMTP_URL: 'smtp:// ' }, 'SMTP_URL'],
  [{ HOST: ' ' }, 'HOST'],
  [{ DATABASE_URL: 'file: ' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'https:// ', SERVICE_SECRET: GOOD_SECRET }, 'DATABASE_URL'],
  [{ DATABASE_AUTH_TOKEN: '   ' }, 'DATABASE_AUTH_TOKEN'],
  [{ REDIS_URL: 'redis:// ' }, 'REDIS_URL'],
  [{ OIDC_ISSUER: 'https://?' }, 'OIDC_ISSUER'],
  [{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: ' ' }, 'OIDC_CLIENT_ID'],
  [{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: '\t' }, 'OIDC_CLIENT_SECRET'],
  [{ SERVICE_METRICS_TOKEN: ' '.repeat(20) }, 'SERVICE_METRICS_TOKEN'],
  [{ SERVICE_METRICS_TOKEN: 'x'.repeat(20) }, 'SERVICE_METRICS_TOKEN'],
  [{ SERVICE_BLOCKED_HOSTS_FILE: ' ' }, 'SERVICE_BLOCKED_HOSTS_FILE'],
  [{ SERVICE_SIGN_UP: 'nobody' }, 'SERVICE_SIGN_UP'],
  [{ SERVICE_PASSWORD_SIGN_IN: 'false' }, 'SERVICE_PASSWORD_SIGN_IN'],
  [{ SERVICE_ANONYMOUS_BUNDLES: '0' }, 'SERVICE_ANONYMOUS_BUNDLES'],
  [{ SERVICE_CACHE_MB: '0' }, 'SERVICE_CACHE_MB'],
  [{ SERVICE_EXTENSION_URL: 'http://extensions.example/openall' }, 'SERVICE_EXTENSION_URL'],
  [{ SERVICE_EXTENSION_URL: 'javascript:alert(1)' }, 'SERVICE_EXTENSION_URL'],
  [{ SERVICE_EXTENSION_URL: `https://extensions.example/${'x'.repeat(2000)}` }, 'SERVICE_EXTENSION_URL'],
  [{ SERVICE_SECURITY_CONTACT: 'security@go.example.com' }, 'SERVICE_SECURITY_CONTACT'],
  [{ SERVICE_SECURITY_CONTACT: 'http://go.example.com/security' }, 'SERVICE_SECURITY_CONTACT'],
  [{ SERVICE_SECURITY_CONTACT: 'mailto:security@go.example.com\nExpires: never' }, 'SERVICE_SECURITY_CONTACT'],
  [{ DATABASE_URL: 'mysql://db.example' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'file:/proc/not/there.db' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'file:/etc', SERVICE_SECRET: GOOD_SECRET }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'libsql://db.example' }, 'SERVICE_SECRET'],
  [{ SERVICE_SECRET: 'short' }, 'SERVICE_SECRET'],
  [{ SERVICE_SECRET: ' '.repeat(40) }, 'SERVICE_SECRET'],
  [{ SERVICE_SECRET: 'x'.repeat(40) }, 'SERVICE_SECRET'],
  [{ SERVICE_SECRET: `\n${GOOD_SECRET}` }, 'SERVICE_SECRET'],
  [{ SERVICE_RATE_LIMIT_WINDOW_MS: '-1' }, 'SERVICE_RATE_LIMIT_WINDOW_MS'],
  [{ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1.5' }, 'SERVICE_RATE_LIMIT_MAX_REQUESTS'],
  [{ SERVICE_CLIENT_IP_HEADER: 'x client' }, 'SERVICE_CLIENT_IP_HEADER'],
  [{ SERVICE_CLAIM_TTL_HOURS: 'week' }, 'SERVICE_CLAIM_TTL_HOURS'],
  [{ SERVICE_CLAIM_TTL_HOURS: '87601' }, 'SERVICE_CLAIM_TTL_HOURS'],
  [{ SERVICE_KEEP_DELETED_DAYS: '0' }, 'SERVICE_KEEP_DELETED_DAYS'],
  [{ SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: 'many' }, 'SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES'],
  [
    { SERVICE_IDENTITY_WEBHOOK_SECRET: `whsec_${GOOD_SECRET.replaceAll(' ', '')} whsec_short` },
    'SERVICE_IDENTITY_WEBHOOK_SECRET',
  ],
  [{ SERVICE_PAYMENT_WEBHOOK_SECRET: `whsec_${'x'.repeat(32)}` }, 'SERVICE_PAYMENT_WEBHOOK_SECRET'],
  [{ SERVICE_IDENTITY_WEBHOOK_SECRET: ' ' }, 'SERVICE_IDENTITY_WEBHOOK_SECRET'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
  [
    { SERVICE_SIGNUP: 'closed' },
    'SERVICE_SIGNUP must be unset, because there is no such setting: did you mean SERVICE_SIGN_UP?',
  ],
  [{ OIDC_CLIENT: 'x' }, 'did you mean OIDC_CLIENT_ID?'],
  [{ SMTP_PORT: '25' }, 'did you mean SMTP_URL?'],
  [{ SERVICE_PORT: '3000' }, 'SERVICE_PORT'],
  [{ SERVICE_NAME_FILE: '/etc/hostname' }, 'SERVICE_NAME_FILE'],
  [{ SERVICE_SECRET_FILE: '/nowhere' }, 'SERVICE_SECRET_FILE'],
  [{ SERVICE_SECRET_FILE: '/dev/null' }, 'SERVICE_SECRET_FILE'],
]

/** The output of a start that fails; throws if it succeeds. */
async function failedStart(options: Parameters<typeof startServer>[0]): Promise<string> {
  const started = await startServer(options).catch((error: Error) => error.message)
  if (typeof started === 'string') return started.trim()
  await started.stop()
  throw new Error(`started with ${JSON.stringify(options)}`)
}

testOnce('an invalid setting is refused with one line that names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  const start = async (env: Record<string, string>) =>
    startService(readConfig({ DATABASE_URL: `file:${join(folder, 'bad.db')}`, ...env }), openLog('silent'))
  for (const [env, name] of BAD_SETTINGS) {
    const refused = await start(env).catch((error: unknown) => error)
    expect([env, refused]).toEqual([env, expect.any(BadSetting)])
    const { message } = refused as BadSetting
    expect(message).toContain(name)
    expect(message).not.toContain('\n')
  }
  rmSync(folder, { recursive: true })
})

testOnce('what Kubernetes says of a neighbour called `database` or `smtp` is no setting', () => {
  const DATABASE_URL = `file:${join(mkdtempSync(join(tmpdir(), 'openall-')), 'one.db')}`
  const neighbours = {
    DATABASE_SERVICE_HOST: '10.0.0.1',
    DATABASE_SERVICE_PORT: '5432',
    DATABASE_PORT: 'tcp://10.0.0.1:5432',
    DATABASE_PORT_5432_TCP_ADDR: '10.0.0.1',
    SMTP_SERVICE_PORT_HTTP: '25',
    SMTP_TOKEN: '',
  }
  expect(readConfig({ ...neighbours, DATABASE_URL }).smtpUrl).toBeUndefined()
})

testOnce('every secret may be in a file, as containers mount them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  const DATABASE_URL = `file:${join(folder, 'one.db')}`
  const values = {
    SERVICE_SECRET: GOOD_SECRET,
    DATABASE_AUTH_TOKEN: 'a token',
    REDIS_URL: 'redis://:word@cache:6379',
    SMTP_URL: 'smtp://user:word@mail.example',
    OIDC_CLIENT_SECRET: 'a secret',
    SERVICE_IDENTITY_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    SERVICE_PAYMENT_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    SERVICE_METRICS_TOKEN: '0123456789abcdef',
  }
  const names = Object.entries(SETTINGS).flatMap(([name, setting]) => ('isSecret' in setting ? [name] : []))
  expect(names.sort()).toEqual(Object.keys(values).sort())
  const oidc = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'x' }
  const files = Object.entries(values).map(([name, value]) => {
    writeFileSync(join(folder, name), `${value}\n`)
    return [`${name}_FILE`, join(folder, name)]
  })
  expect(readConfig({ DATABASE_URL, ...oidc, ...Object.fromEntries(files) })).toEqual(
    readConfig({ DATABASE_URL, ...oidc, ...values }),
  )
  rmSync(folder, { recursive: true })
})

/** A stock Debian’s hosts file, on which `localhost` is two addresses, and one on which it is the old one alone. */
const HOSTS = { Debian: '127.0.0.1 localhost\n::1 localhost ip6-localhost\n', 'IPv4 alone': '127.0.0.1 localhost\n' }

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'openall-'))
    })
    afterAll(() => {
      rmSync(folder, { recursive: true, force: true })
    })

    test(
      'an invalid setting stops the start with one line that names it',
      async () => {
        // Starts are slow, and the same code refuses all of them, as tested above.
        const cases = BAD_SETTINGS.filter((_, index) => index % (runtime === 'bun' ? 4 : 16) === 0)
        const taken = await startServer({ runtime })
        const { port } = new URL(taken.origin)
        for (const [env, name] of [...cases, [{ PORT: port }, 'PORT'] as const]) {
          const output = await failedStart({ runtime, env, database: join(folder, 'bad.db') })
          // Besides the log: a port is tried once the database is migrated.
          const printed = output.replaceAll(/\{"level":.*\n/g, '')
          expect([env, printed.split('\n').length]).toEqual([env, 1])
          // systemd does not restart after 78; a port that is taken, or a store that is away, may be free again.
          const code = /cannot be used|is in use/.test(printed) ? 1 : 78
          expect([env, printed.startsWith(`the server exited with ${code}: `)]).toEqual([env, true])
          expect(printed).toContain(name)
        }
        await taken.stop()
      },
      2 * START_MS,
    )

    test(
      'a database that only another version can open stops the start with 78, and is not touched',
      async () => {
        const open = (file: string, ...statements: string[]) => {
          const database = new Database(file)
          for (const statement of statements) database.run(statement)
          database.close()
        }
        const journal = 'CREATE TABLE __drizzle_migrations (hash text, created_at numeric)'
        const first = readMigrationFiles({ migrationsFolder: 'db/migrations' })[0]!.hash
        const insert = (hash: string) => `INSERT INTO __drizzle_migrations VALUES ('${hash}', 1)`
        const cases: [string, (file: string) => void, string][] = [
          [
            'newer',
            (file) => open(file, journal, insert(first), insert('of the future')),
            'a newer version of this service',
          ],
          [
            'unreleased',
            (file) => open(file, journal, ...UNRELEASED.map(insert)),
            'it was made before the first release, and no version migrates it',
          ],
          ['no-database', (file) => writeFileSync(file, 'Dear diary, '.repeat(1000)), 'not a database'],
        ]
        for (const [name, make, says] of cases) {
          const file = join(folder, `${name}-${runtime}.db`)
          make(file)
          const before = Bun.hash(readFileSync(file))
          const output = await failedStart({ runtime, database: file })
          expect([name, output]).toEqual([name, expect.stringMatching(/^the server exited with 78: /)])
          expect(output).toContain(`DATABASE_URL must name a database of this version: `)
          expect(output).toContain(says)
          expect([name, Bun.hash(readFileSync(file))]).toEqual([name, before])
        }
      },
      START_MS,
    )

    for (const [name, text] of Object.entries(HOSTS))
      test.skipIf(isLeftOut('mounts of its own'))(
        `the service and its metrics are at 127.0.0.1, where proxies and Prometheus look, with the hosts file: ${name}`,
        async () => {
          const hosts = join(folder, 'hosts')
          writeFileSync(hosts, text)
          const [port, metricsPort] = [freePort(), freePort()]
          const mounted = ['sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts]
          const service = Bun.spawn([...OWN_MOUNTS, ...mounted, ...command(runtime), 'src/main.ts'], {
            env: {
              PATH: process.env.PATH,
              HOME: process.env.HOME,
              PORT: String(port),
              SERVICE_METRICS_PORT: String(metricsPort),
              DATABASE_URL: `file:${join(folder, 'hosts.db')}`,
              SERVICE_DRAIN_MS: '0',
            },
            stdout: 'ignore',
          })
          const status = async (at: string) => (await fetch(`http://127.0.0.1:${at}`).catch(() => null))?.status
          try {
            await eventually(async () => (await status(`${port}/healthz`)) === 200, 'the service answers', START_MS)
            await eventually(async () => (await status(`${metricsPort}/metrics`)) === 200, 'metrics answer', START_MS)
          } finally {
            service.kill('SIGTERM')
            await service.exited
          }
        },
        START_MS,
      )

    test(
      'an empty setting counts as not set',
      async () => {
        const server = await startServer({ runtime, env: { SERVICE_NAME: '', LOG_LEVEL: '', SERVICE_BASE_URL: '' } })
        expect(await (await fetch(server.origin)).text()).toContain('Openall')
        await server.stop()
      },
      START_MS,
    )

    test(
      'servers that start at once on one empty database all come up, and share it',
      async () => {
        const database = join(folder, 'shared', 'one.db')
        const servers = await Promise.all(Array.from({ length: 3 }, () => startServer({ runtime, database })))
        const [first] = servers
        const slug = await newSlug(first!)
        for (const { origin } of servers) expect((await fetch(`${origin}/l/${slug}`)).status).toBe(200)
        // They share one secret: each can read the answers that another stored.
        const send = (server: Server) =>
          create(server, { urls: [URL_OK] }, { 'idempotency-key': 'a key that nobody can guess' })
        const answers = await Promise.all(servers.map(send))
        expect(new Set(answers.map(({ body }) => body.claimToken.length)).size).toBe(1)
        expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1)
        for (const server of servers) expect(await server.stop()).toBe(0)
        expect(statSync(`${database}.secret`).mode & 0o777).toBe(0o600)
      },
      START_MS,
    )

    test(
      'a database may be in a folder with a space and a percent sign in its name',
      async () => {
        const place = join(folder, 'my data 100%')
        mkdirSync(place)
        const database = join(place, 'one.db')
        const env = { DATABASE_URL: `file:${encodeURI(database)}` }
        const server = await startServer({ runtime, database, env })
        expect(await newSlug(server)).toMatch(/^\w{10}$/)
        expect(await server.stop()).toBe(0)
        const file = new Database(database)
        expect(file.query('SELECT count(*) AS n FROM bundles').get()).toEqual({ n: 1 })
        file.close()
        expect(statSync(`${database}.secret`).isFile()).toBeTrue()
      },
      START_MS,
    )

    test(
      'SIGTERM among requests exits 0, and every answered bundle is stored',
      async () => {
        const database = join(folder, 'stopped', 'one.db')
        const server = await startServer({ runtime, database })
        const sends = Array.from({ length: 60 }, () => create(server, { urls: [URL_OK] }).catch(() => null))
        await Promise.race(sends)
        const exit = server.stop()
        const answered = (await Promise.all(sends)).filter((answer) => answer?.status === 201)
        expect(await exit).toBe(0)
        expect(answered.length).toBeGreaterThan(0)
        const stored = await Promise.all(
          answered.map(async (answer) => (await storedBundle(server, answer?.body.slug ?? '')).slug),
        )
        expect(stored).toEqual(answered.map((answer) => answer?.body.slug ?? ''))
      },
      START_MS,
    )

    test(
      'the log contains no address, token, cookie, body or slug',
      async () => {
        const server = await startServer({ runtime, env: { LOG_LEVEL: 'trace', SERVICE_CLIENT_IP_HEADER: 'x-client' } })
        const headers = {
          'x-client': '192.0.2.77',
          cookie: 'session=biscuit-to-find',
          'idempotency-key': 'key-to-find',
          'user-agent': 'agent-to-find',
        }
        const body = {
          urls: ['https://destination-to-find.example'],
          title: 'title-to-find',
          email: 'who@mail-to-find.example',
        }
        const { slug, claimToken } = (await create(server, body, headers)).body
        await create(server, { urls: ['wrong-to-find'] }, { ...headers, authorization: 'Bearer bearer-to-find' })
        await submit(server, { urls: 'form-to-find', title: 'x'.repeat(300) }, headers)
        await fetch(`${server.origin}/l/${slug}`, { headers })
        await fetch(`${server.origin}/claim/${claimToken}`, { headers })
        await fetch(`${server.origin}/path-to-find?query-to-find=1`, { headers })
        await sendEvent(server, slug, headers)
        // Bodies that end early, which is no server error.
        const { host } = new URL(server.origin)
        const half = { host, 'content-type': 'application/json', 'content-length': '99' }
        await sendRaw(server, requestText('POST', '/api/links', half, '{"urls":["half-to-find'), 200)
        await server.stop()
        const printed = server.output()
        expect(printed).toContain('stopped')
        for (const secret of ['to-find', '192.0.2.77', '127.0.0.1', '::1', slug, claimToken]) {
          expect([secret, printed.includes(secret)]).toEqual([secret, false])
        }
        expect(printed).not.toContain('"level":50')
      },
      START_MS,
    )
  })
}
