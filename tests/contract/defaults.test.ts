import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/config.ts'
import { SETTINGS } from '../../src/settings.ts'
import { startServer } from '../server.ts'
import { create, URL_OK } from './support.ts'

setDefaultTimeout(60_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'openall-defaults-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the default of every setting is the one that the README’s table says', () => {
  const rows = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^\| `([A-Z][A-Z0-9_]*)` +\| (.*?) +\|/gm)
  const said = new Map([...rows].map(([, name = '', text = '']) => [name, /^`([^<`]*)`$/.exec(text.trim())?.[1]]))
  expect(said.size).toBe(Object.keys(SETTINGS).length)
  for (const [name, { fallback }] of Object.entries(SETTINGS)) expect([name, said.get(name)]).toEqual([name, fallback])
})

test('a start with nothing set does what the specification’s defaults say', () => {
  const DATABASE_URL = `file:${join(folder, 'config.db')}`
  expect(SETTINGS.DATABASE_URL.fallback).toBe('file:./data/openall.db')
  expect(readConfig({ DATABASE_URL })).toMatchObject({
    port: 3000,
    host: 'localhost',
    origin: 'http://localhost:3000',
    authority: 'localhost:3000',
    name: 'Openall',
    database: { url: DATABASE_URL, authToken: undefined, replicaPath: undefined },
    addressLimit: { windowMs: 60_000, max: 30 },
    redisUrl: undefined,
    clientIpHeader: undefined,
    countryHeader: undefined,
    claimTtlMs: 7 * 24 * 60 * 60 * 1000,
    maxBundles: { anonymous: 50, free: 100, pro: 10_000 },
    requireVerifiedEmail: false,
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

test('and the service that is started so shows it', async () => {
  const unset = { DATABASE_URL: '', SERVICE_RATE_LIMIT_MAX_REQUESTS: '', SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '' }
  const server = await startServer({ env: unset, cwd: folder, main: join(ROOT, 'src/main.ts') })
  try {
    const { origin } = server
    expect(existsSync(join(folder, 'data/openall.db'))).toBeTrue()
    expect(await (await fetch(origin)).text()).toContain('Openall')
    const from = Date.now()
    // No header tells of another client, whatever it says.
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
