import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SETTINGS } from '../../src/config/settings.ts'
import { newSlug } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { isLeftOut } from '../needs.ts'
import { openNotifySocket } from '../notify-socket.ts'
import { RUNTIMES, startServer } from '../server.ts'

const PATIENCE_MS = 180_000

test('the service file has systemd wait for the notification, and accept it from a child', () => {
  const unit = readFileSync(new URL('../../deploy/openall.service', import.meta.url), 'utf8')
  expect(unit).toContain('\nType=notify\nNotifyAccess=all\n')
})

test('the service listens where the Caddyfile looks for it', () => {
  const deployed = (file: string) => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
  expect(deployed('openall.service')).not.toContain('HOST=')
  expect(deployed('Caddyfile')).toContain(`{$UPSTREAM:${SETTINGS.HOST.fallback}:3000}`)
})

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  test.skipIf(isLeftOut('systemd-notify'))(
    'systemd is notified once requests are answered, and when the process begins to stop',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-systemd-'))
      const systemd = openNotifySocket(join(folder, 'notify'))
      const server = await startServer({ runtime, env: { NOTIFY_SOCKET: join(folder, 'notify') } })
      await systemd.received('READY=1')
      expect(systemd.lines).not.toContain('STOPPING=1')
      expect(await server.stop()).toBe(0)
      await systemd.received('STOPPING=1')
      expect(server.output()).not.toContain('could not notify systemd')
      systemd.close()
      rmSync(folder, { recursive: true })
    },
    PATIENCE_MS,
  )

  test(
    'if systemd cannot be notified, the log says so and the service continues',
    async () => {
      const server = await startServer({ runtime, env: { NOTIFY_SOCKET: '/nowhere/notify', PATH: '/nowhere' } })
      await eventually(() => server.output().includes('could not notify systemd of READY=1'), 'the log says so')
      await newSlug(server)
      expect(await server.stop()).toBe(0)
    },
    PATIENCE_MS,
  )
})
