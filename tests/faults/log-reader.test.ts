import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { freePort } from '../ports.ts'
import { command, RUNTIMES } from '../server.ts'

const PATIENCE_MS = 120_000

for (const runtime of RUNTIMES) {
  test(
    `the service lives on when whoever reads its log goes away (${runtime})`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-log-'))
      const port = freePort()
      const service = Bun.spawn([...command(runtime), 'src/main.ts'], {
        env: {
          ...process.env,
          PORT: String(port),
          DATABASE_URL: `file:${join(folder, 'one.db')}`,
          SERVICE_ACCESS_LOG: 'all',
          SERVICE_DRAIN_MS: '0',
        },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const ask = async () => (await fetch(`http://localhost:${port}/nowhere`).catch(() => null))?.status
      try {
        await eventually(async () => (await ask()) === 404, 'it serves', PATIENCE_MS)
        await Promise.all([service.stdout.cancel(), service.stderr.cancel()])
        for (let asked = 0; asked < 5; asked += 1) expect(await ask()).toBe(404)
        service.kill('SIGTERM')
        expect(await service.exited).toBe(0)
      } finally {
        service.kill('SIGKILL')
        rmSync(folder, { recursive: true })
      }
    },
    2 * PATIENCE_MS,
  )
}
