import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { freePort } from '../ports.ts'
import { command, startServer } from '../server.ts'

const PATIENCE_MS = 180_000
const LIMIT = 160
const FEW = 'few file descriptors are allowed'

// Only on Bun: Deno's server exits with `Too many open files`.
test(
  'the log says at the start that few file descriptors are allowed, once when they run out, and when they are free again',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openall-descriptors-'))
    const port = freePort()
    const words = [...command('bun'), 'src/main.ts']
    const child = Bun.spawn(['sh', '-c', `ulimit -n ${LIMIT} && exec "$@"`, 'sh', ...words], {
      env: {
        ...process.env,
        PORT: String(port),
        DATABASE_URL: `file:${join(folder, 'one.db')}`,
        SERVICE_DRAIN_MS: '0',
      },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    let output = ''
    const read = (async () => {
      const decoder = new TextDecoder()
      const reader = child.stdout.getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) output += decoder.decode(part.value)
    })()
    const count = (text: string) => output.split(text).length - 1
    const ask = () => fetch(`http://localhost:${port}/readyz`, { keepalive: false }).catch(() => null)
    await eventually(async () => (await ask())?.ok === true, 'it serves', PATIENCE_MS)
    expect(output.split('\n').find((line) => line.includes(FEW))).toContain(`"limit":${LIMIT},`)
    const sockets = Array.from({ length: 2 * LIMIT }, () => connect(port, 'localhost').on('error', () => {}))
    await eventually(() => count('nearly all file descriptors are in use') === 1, 'it is told', PATIENCE_MS)
    for (const socket of sockets) socket.destroy()
    await eventually(() => count('file descriptors are free again') === 1, 'the end is told', PATIENCE_MS)
    await eventually(async () => (await ask())?.ok === true, 'it serves again', PATIENCE_MS)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    await read
    expect([count(FEW), count('nearly all file descriptors are in use')]).toEqual([1, 1])
    rmSync(folder, { recursive: true })
  },
  3 * PATIENCE_MS,
)

test('where a thousand file descriptors are allowed, the start says nothing of them', async () => {
  const server = await startServer()
  await server.stop()
  expect(server.output()).not.toContain(FEW)
})
