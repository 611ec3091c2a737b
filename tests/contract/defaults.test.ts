import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { scryptSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultCacheMb, memoryBytes, readConfig } from '../../src/config/config.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { eventually } from '../eventually.ts'
import { PASSWORD, signUp } from '../people.ts'
import { freePort } from '../ports.ts'
import { command, startServer } from '../server.ts'
import { create, URL_OK } from './support.ts'

setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'openall-defaults-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the default of every setting matches the page of settings', () => {
  const rows = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8').matchAll(/^\| `([A-Z][A-Z0-9_]*)` +\| (.*?) +\|/gm)
  const said = new Map([...rows].map(([, name = '', text = '']) => [name, /^`([^<`]*)`$/.exec(text.trim())?.[1]]))
  expect(said.size).toBe(Object.keys(SETTINGS).length)
  for (const [name, { fallback }] of Object.entries(SETTINGS)) expect([name, said.get(name)]).toEqual([name, fallback])
})

test('a start without settings follows the specification’s defaults', () => {
  const DATABASE_URL = `file:${join(folder, 'config.db')}`
  expect(SETTINGS.DATABASE_URL.fallback).toBe('file:./data/openall.db')
  expect(readConfig({ DATABASE_URL })).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    origin: 'http://localhost:3000',
    authority: 'localhost:3000',
    name: 'Openall',
    database: { url: DATABASE_URL, authToken: undefined },
    addressLimit: { windowMs: 60_000, max: 30 },
    redisUrl: undefined,
    clientIpHeader: undefined,
    countryHeader: undefined,
    claimTtlMs: 7 * 24 * 60 * 60 * 1000,
    keepDeletedMs: 30 * 24 * 60 * 60 * 1000,
    maxBundles: { anonymous: 50, free: 100, pro: 10_000 },
    requireVerifiedEmail: false,
    signUp: 'open',
    passwordSignIn: true,
    anonymousBundles: true,
    smtpUrl: undefined,
    mailFrom: 'no-reply@localhost',
    oidc: null,
    webhookSecrets: { identity: [], payment: [] },
    isDevelopment: true,
    blockedHostsFile: undefined,
    metricsToken: undefined,
    securityContact: undefined,
    requestIdHeader: undefined,
    accessLog: 'off',
    logLevel: 'info',
  })
  expect(readFileSync(join(folder, 'config.db.secret'), 'utf8')).toMatch(/^[\w-]{43}$/)
})

test('the launcher cache may use 1/32 of the available memory, within bounds', () => {
  const GB = 2 ** 30
  expect([0.25, 1, 4, 8, 64].map((memory) => defaultCacheMb(memory * GB))).toEqual([32, 32, 128, 256, 512])
  const DATABASE_URL = `file:${join(folder, 'config.db')}`
  expect(memoryBytes()).toBeWithin(2 ** 26, totalmem() + 1)
  expect(readConfig({ DATABASE_URL }).cacheBytes).toBe(defaultCacheMb(memoryBytes()) * 2 ** 20)
  expect(readConfig({ DATABASE_URL, SERVICE_CACHE_MB: '7' }).cacheBytes).toBe(7 * 2 ** 20)
})

test('and a started service reports that size', async () => {
  const unset = { DATABASE_URL: '', SERVICE_RATE_LIMIT_MAX_REQUESTS: '', SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '' }
  const server = await startServer({ env: unset, cwd: folder, main: join(ROOT, 'src/main.ts') })
  try {
    const { origin } = server
    expect(existsSync(join(folder, 'data/openall.db'))).toBeTrue()
    expect(await (await fetch(origin)).text()).toContain('Openall')
    const from = Date.now()
    // By default no header sets the client address.
    const send = (index: number) => create(server, { urls: [URL_OK] }, { 'x-forwarded-for': `192.0.2.${index}` })
    const answers = await Promise.all(Array.from({ length: 31 }, (_, index) => send(index)))
    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.find(({ status }) => status === 429)
    expect(made).toHaveLength(30)
    const waits = Number(refused?.headers.get('retry-after'))
    expect(waits > 0 && waits <= 61).toBeTrue()
    const lives = Date.parse(made[0]?.body.claimExpiresAt ?? '') - from
    expect(Math.round(lives / 3_600_000)).toBe(168)
    for (const path of ['/metrics', '/.well-known/security.txt'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 404])
    expect((await fetch(`${origin}/dev/mailbox`)).status).toBe(200)
    for (const source of ['identity', 'payment'])
      expect((await fetch(`${origin}/api/webhooks/${source}`, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(await (await fetch(`${origin}/sign-in`)).text()).not.toContain('/sign-in/oidc')
    expect(server.output()).toContain(`Openall is at ${origin}`)
    expect(server.output()).not.toContain('"msg":"request"')
  } finally {
    await server.stop()
  }
})

test('whoever starts it in a terminal reads where it is, and what is open to anybody, on lines of their own', async () => {
  const started = async (env: Record<string, string>) => {
    const port = String(freePort())
    let said = ''
    const decoder = new TextDecoder()
    const child = Bun.spawn([...command('bun'), 'src/main.ts'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, PORT: port, DATABASE_URL: `file:${join(folder, `${port}.db`)}`, ...env },
      terminal: {
        cols: 200,
        data: (_, bytes) => {
          said += decoder.decode(bytes, { stream: true })
        },
      },
    })
    try {
      await eventually(() => said.includes(` is at http://localhost:${port}`), 'it says where it is')
      // A line of the log comes after what is said at the start.
      child.kill('SIGINT')
      await child.exited
      return said
        .split('\r\n')
        .filter((line) => line !== '' && !line.startsWith('{'))
        .map((line) => line.replace(port, 'PORT'))
    } finally {
      child.kill('SIGKILL')
    }
  }
  const where = 'Openall is at http://localhost:PORT'
  expect(await started({})).toEqual([
    where,
    'Anyone may sign up: SERVICE_SIGN_UP=invited, or closed, changes that.',
    'Anyone may create bundles without an account: SERVICE_ANONYMOUS_BUNDLES=off changes that.',
  ])
  expect(await started({ SERVICE_SIGN_UP: 'closed', SERVICE_ANONYMOUS_BUNDLES: 'off' })).toEqual([where])
})

test('password hashing follows OWASP’s scrypt parameters at 16 MiB per hash', async () => {
  const server = await startServer()
  const { userId } = await signUp(server)
  const [row] = await server.sql('SELECT password FROM account WHERE user_id = ?', [userId])
  const [salt = '', key] = String(row?.password).split(':')
  const cost = { N: 2 ** 14, r: 8, p: 5, maxmem: 2 ** 26 }
  expect(scryptSync(PASSWORD, Buffer.from(salt, 'base64url'), 64, cost).toString('base64url')).toBe(key ?? '')
  await server.stop()
})
