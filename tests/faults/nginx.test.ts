import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startNginx } from '../nginx.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

// What a body that nobody wants comes to behind nginx: the service's own answer, never a 502. It is sent whole before the service
// hears of it, as nginx does unless told otherwise, or as it comes.

setDefaultTimeout(180_000)

const MIB = 1024 * 1024

for (const runtime of RUNTIMES)
  for (const buffering of ['on', 'off'])
    describe(`on ${runtime}, with proxy_request_buffering ${buffering}`, () => {
      const origin = `http://localhost:${freePort()}`
      let server: Server
      let nginx: Awaited<ReturnType<typeof startNginx>>
      beforeAll(async () => {
        server = await startServer({ runtime, env: { SERVICE_BASE_URL: origin } })
        const lines = `client_max_body_size 0; proxy_request_buffering ${buffering}; proxy_http_version 1.1;`
        nginx = await startNginx(origin, Number(new URL(server.origin).port), lines)
      })
      afterAll(async () => {
        await nginx?.stop()
        await server?.stop()
      })
      const send = async (path: string, mebibytes: number, type: string) => {
        const answer = await fetch(origin + path, {
          method: 'POST',
          headers: { 'content-type': type },
          body: 'x'.repeat(mebibytes * MIB),
        })
        return [path, mebibytes, answer.status, (await answer.text()).includes('502 Bad Gateway')]
      }

      test('an answer is the service’s, however large the body is that it refuses', async () => {
        const wanted: [path: string, type: string, status: number][] = [
          ['/', 'application/x-www-form-urlencoded', 413],
          ['/api/links', 'application/json', 413],
          ['/api/links', 'text/plain', 415],
          ['/api/nothing', 'application/json', 404],
          ['/dashboard/links/import', 'application/x-www-form-urlencoded', 401],
          ['/api/mcp', 'application/json', 401],
        ]
        for (const [path, type, status] of wanted)
          for (const mebibytes of [1, 3, 8, 20, 30])
            for (let time = 0; time < 2; time += 1)
              expect(await send(path, mebibytes, type)).toEqual([path, mebibytes, status, false])
      })
    })
