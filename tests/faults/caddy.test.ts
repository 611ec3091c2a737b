import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newSlug } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../ports.ts'
import { startServer } from '../server.ts'

const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url))
const CLIENTS = 8

test('behind Caddy, configured as in deploy/, a restart refuses no request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-caddy-'))
  const origin = `http://localhost:${freePort()}`
  const env = { SERVICE_BASE_URL: origin, SERVICE_CLIENT_IP_HEADER: 'x-real-ip', SERVICE_DRAIN_MS: '1000' }
  const server = await startServer({ database: join(folder, 'one.db'), env })
  const caddy = Bun.spawn(['caddy', 'run', '--adapter', 'caddyfile', '--config', CADDYFILE], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SERVICE_BASE_URL: origin,
      UPSTREAM: new URL(server.origin).host,
      // Several Caddies on one machine cannot share the default port.
      CADDY_ADMIN: `localhost:${freePort()}`,
    },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  try {
    await eventually(async () => (await fetch(`${origin}/readyz`).catch(() => null))?.ok === true, 'Caddy passes on')
    expect((await fetch(`${origin}/metrics`)).status).toBe(404)
    const slug = await newSlug({ ...server, origin })
    const statuses = new Map<number | string, number>()
    let isOver = false
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        const status = await fetch(`${origin}/l/${slug}`).then(async (answer) => {
          await answer.text()
          return answer.status
        }, String)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await Bun.sleep(10)
      }
    })
    await eventually(() => (statuses.get(200) ?? 0) > 50, 'requests come')
    expect(await server.stop()).toBe(0)
    await server.restart()
    const before = statuses.get(200) ?? 0
    await eventually(() => (statuses.get(200) ?? 0) > before + 50, 'requests go on')
    isOver = true
    await Promise.all(clients)
    expect([...statuses.keys()]).toEqual([200])
  } finally {
    caddy.kill()
    await caddy.exited
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}, 120_000)
