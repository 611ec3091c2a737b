import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create, newSlug, URL_OK } from '../contract/support.ts'
import { becomes, eventually } from '../eventually.ts'
import { METRICS_TOKEN, metricFamilies } from '../metrics.ts'
import { need } from '../needs.ts'
import { freePort } from '../ports.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { type Server, startServer } from '../server.ts'

// Tests the files of deploy/ for Prometheus and Grafana with a real Prometheus that scrapes a real service.

setDefaultTimeout(180_000)

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')
/** Metrics of Prometheus itself, and of the black box exporter. */
const OTHERS = ['up', 'probe_success', 'probe_ssl_earliest_cert_expiry']

interface Rule {
  alert: string
  expr: string
}
interface Panel {
  title: string
  targets?: { expr: string }[]
}

const rules = (Bun.YAML.parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const { panels } = JSON.parse(read('grafana/openall.json')) as { panels: Panel[] }
const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

/** Runs a command that must succeed. Returns its output. */
async function run(words: string[], cwd = DEPLOY): Promise<string> {
  const child = Bun.spawn(words, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [text, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${words.join(' ')}: ${text}${error}`)
  return text
}

let folder: string
let redis: RedisServer
let server: Server
let prometheus: Bun.Subprocess
/** Answers as the black box exporter would, whose package need not be installed. */
let blackBox: Bun.Server<undefined>
const probed: string[] = []
let origin: string
beforeAll(async () => {
  need('Prometheus')
  folder = mkdtempSync(join(tmpdir(), 'openall-prometheus-'))
  const metricsPort = freePort()
  redis = await startRedis()
  server = await startServer({
    env: {
      SERVICE_METRICS_TOKEN: METRICS_TOKEN,
      SERVICE_METRICS_PORT: String(metricsPort),
      SERVICE_BACKUP_DIR: join(folder, 'backups'),
      REDIS_URL: redis.url,
      SMTP_URL: 'smtp://127.0.0.1:1',
      SERVICE_CLIENT_IP_HEADER: 'x-client',
      SERVICE_RATE_LIMIT_MAX_REQUESTS: '5',
    },
  })
  blackBox = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      probed.push(`${pathname} ${searchParams.get('module')} ${searchParams.get('target')}`)
      const expires = Math.floor(Date.now() / 1000) + 80 * 86_400
      return new Response(`probe_success 1\nprobe_ssl_earliest_cert_expiry ${expires}\n`, {
        headers: { 'content-type': 'text/plain; version=0.0.4' },
      })
    },
  })
  copyFileSync(join(DEPLOY, 'alerts.yml'), join(folder, 'alerts.yml'))
  writeFileSync(join(folder, 'openall.token'), METRICS_TOKEN)
  const config = read('prometheus.yml')
    .replaceAll(/_interval: (?:15s|1m)/g, '_interval: 1s')
    .replace(':9464', `:${metricsPort}`)
    .replace(':9115', `:${blackBox.port}`)
  expect(config).not.toMatch(/9464|9115/)
  writeFileSync(join(folder, 'prometheus.yml'), config)
  const port = freePort()
  origin = `http://127.0.0.1:${port}`
  const words = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  prometheus = Bun.spawn(['prometheus', ...words, `--web.listen-address=127.0.0.1:${port}`], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await eventually(async () => (await fetch(`${origin}/-/ready`).catch(() => null))?.ok === true, 'Prometheus is ready')
})
afterAll(async () => {
  prometheus?.kill()
  await prometheus?.exited
  await blackBox?.stop(true)
  await server?.stop()
  await redis?.kill()
  rmSync(folder, { recursive: true, force: true })
})

interface Sample {
  metric: Record<string, string>
  value: [number, string]
}

/** Evaluates an expression; throws Prometheus's error if it is invalid. */
async function ask<T>(path: string): Promise<T> {
  const { data, error } = (await (await fetch(`${origin}/api/v1/${path}`)).json()) as { data: T; error?: string }
  if (error !== undefined) throw new Error(`${path}: ${error}`)
  return data
}
const query = async (expr: string) =>
  (await ask<{ result: Sample[] }>(`query?query=${encodeURIComponent(expr)}`)).result

/** An expression as Grafana sends it for all processes; the interval is long enough for two samples. */
const filledIn = (expr: string) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')

/** The names of metrics in an expression. */
const namesIn = (expr: string) =>
  expr.replaceAll(/"[^"]*"/g, '').match(/\b(?:openall_\w+|process_\w+|probe_\w+|up)\b/g) ?? []

test('promtool accepts the rules and the configuration', async () => {
  expect(await run(['promtool', 'check', 'rules', 'alerts.yml'])).toContain(`${rules.length} rules found`)
  expect(await run(['promtool', 'check', 'config', '--lint-fatal', join(folder, 'prometheus.yml')])).toContain(
    'is valid',
  )
})

test('every alert is silent in normal operation and fires when it should', async () => {
  const file = fileURLToPath(new URL('./alerts.yml', import.meta.url))
  const { tests } = Bun.YAML.parse(readFileSync(file, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
  const names = rules.map(({ alert }) => alert).sort()
  const tested = (fires: boolean) =>
    [
      ...new Set(
        cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname),
      ),
    ].sort()
  expect([tested(true), tested(false)]).toEqual([names, names])
  await run(['promtool', 'test', 'rules', file])
  const told = readFileSync(join(DEPLOY, '../docs/self-hosting.md'), 'utf8').matchAll(/^\| `(Openall\w+)` +\|/gm)
  expect([...told].map(([, name = '']) => name).sort()).toEqual(names)
})

test('alerts and panels use only existing metrics, and all of our own', async () => {
  const families = await metricFamilies(server)
  const ends = (type: string) => (type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
  const samples = new Map(families.flatMap(({ name, type }) => ends(type).map((end) => [name + end, name])))
  const named = new Set<string>()
  for (const { title, expr } of [...rules.map(({ alert, expr }) => ({ title: alert, expr })), ...expressions]) {
    const names = namesIn(expr)
    expect([title, names.length > 0]).toEqual([title, true])
    expect([title, names.filter((name) => !samples.has(name) && !OTHERS.includes(name))]).toEqual([title, []])
    for (const name of names) named.add(samples.get(name) ?? name)
  }
  const own = families.map(({ name }) => name).filter((name) => name.startsWith('openall_'))
  expect(own.length).toBeGreaterThan(20)
  // The age of the newest backup is more useful.
  expect(own.filter((name) => !named.has(name))).toEqual(['openall_backup_last_failure_timestamp_seconds'])
})

test('Prometheus scrapes the service with the configuration, and every panel has data', async () => {
  const slug = await newSlug(server)
  await becomes(async () => (await query('up{job="openall"}')).map(({ value }) => value[1]), ['1'])
  // Rates need two samples with activity in between.
  const work = async () => {
    await (await fetch(`${server.origin}/l/${slug}`)).text()
    await fetch(`${server.origin}/api/links/nobody`)
    for (const _ of Array(6)) await create(server, { urls: [URL_OK] }, { 'x-client': '192.0.2.1' })
  }
  for (const { title, expr } of expressions) {
    const isPublic = async () => {
      await work()
      const values = await query(filledIn(expr))
      return values.some(({ value }) => Number.isFinite(Number(value[1])))
    }
    await eventually(isPublic, `${title}: ${expr}`, 60_000)
  }
  expect(expressions.length).toBeGreaterThan(30)
  expect([...new Set(probed)]).toEqual(['/probe http_2xx https://go.example.com/readyz'])
})

test('no alert fires for a healthy service; once it is down, that alert does', async () => {
  const { groups } = await ask<{ groups: { rules: { name: string; health: string; state: string }[] }[] }>('rules')
  const loaded = groups.flatMap((group) => group.rules)
  expect(loaded.map(({ name }) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort())
  const stateOf = async (alert: string) => {
    const { groups } = await ask<{ groups: { rules: { name: string; health: string; state: string }[] }[] }>('rules')
    const rule = groups.flatMap((group) => group.rules).find(({ name }) => name === alert)
    return [rule?.health, rule?.state]
  }
  // The machine's disk may happen to be full, and other work on it may hold the service: minutes of that fire, these tests
  // take less.
  const OF_THE_MACHINE = ['OpenallEventLoopHeld', 'OpenallSlow', 'OpenallCommitSlow']
  const states = (alert: string) => {
    if (alert === 'OpenallDiskNearlyFull') return ['inactive', 'pending', 'firing']
    return OF_THE_MACHINE.includes(alert) ? ['inactive', 'pending'] : ['inactive']
  }
  for (const { alert } of rules)
    await becomes(
      async () => {
        const [health, state = ''] = await stateOf(alert)
        return { alert, health, state: states(alert).includes(state) ? 'expected' : state }
      },
      { alert, health: 'ok', state: 'expected' },
    )
  await server.kill()
  await becomes(() => stateOf('OpenallDown'), ['ok', 'pending'])
  await server.restart()
  await becomes(() => stateOf('OpenallDown'), ['ok', 'inactive'])
})

test('Grafana accepts the dashboard: ids and positions of panels are unique', () => {
  const placed = panels as unknown as { id: number; gridPos: { x: number; y: number; w: number; h: number } }[]
  expect(new Set(placed.map(({ id }) => id)).size).toBe(placed.length)
  const cells = placed.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(placed.every(({ gridPos: { x, w } }) => x + w <= 24)).toBeTrue()
})
