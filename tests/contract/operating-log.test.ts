import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'

const NOT_READY = 'not ready: the store does not answer'
const REFUSED = 'a request was refused: the store does not answer'

for (const runtime of RUNTIMES) {
  test(`requests that are refused write a line a second and kind, which tells how many it stands for (${runtime})`, async () => {
    const sqld = await startSqld()
    const env = {
      DATABASE_URL: sqld.url,
      DATABASE_AUTH_TOKEN: sqld.token,
      SERVICE_SECRET: 'a secret of the tests, forty characters long',
      SERVICE_ACCESS_LOG: 'all',
    }
    const server = await startServer({ runtime, env, database: sqld.url })
    const linesOf = (kind: string) =>
      server
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as { msg: string; err?: object; status?: number })
        .filter(({ msg }) => msg.startsWith(kind))
    const told = (kind: string) =>
      linesOf(kind).reduce((sum, { msg }) => {
        const [, more = '0'] = / … and ([\d,]+) more like this$/.exec(msg) ?? []
        return sum + 1 + Number(more.replaceAll(',', ''))
      }, 0)
    const ask = async (path: string, times: number, headers?: HeadersInit) => {
      for (let asked = 0; asked < times; asked += 50)
        await Promise.all(
          Array.from({ length: 50 }, async () => (await fetch(`${server.origin}${path}`, { headers })).text()),
        )
    }
    await sqld.kill()
    const startedAt = performance.now()
    // Probes answer under any name, so anybody may ask for them. They share one try to write, which ended the process when it failed.
    await ask('/readyz', 1_500, { host: 'anything.example' })
    await ask('/l/nowhere', 100)
    await becomes(() => [told(NOT_READY), told(REFUSED)], [1_500, 100])
    const seconds = Math.floor((performance.now() - startedAt) / 1_000)
    for (const kind of [NOT_READY, REFUSED]) {
      const lines = linesOf(kind)
      expect([kind, lines.length <= 2 + seconds, lines.length >= 2]).toEqual([kind, true, true])
      for (const line of lines) expect(line.err).toBeDefined()
    }
    // Who has asked for every answer gets every answer.
    await becomes(() => linesOf('request').filter(({ status }) => status === 503).length, 1_600)
    // What is left out when the process stops is told by then.
    await ask('/readyz', 50)
    await server.stop()
    expect(told(NOT_READY)).toBe(1_550)
    await sqld.stop()
  }, 180_000)
}
