import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { newSlug, requestText } from '../contract/support.ts'
import { becomes, eventually } from '../eventually.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

const PATIENCE_MS = 180_000
/** As many connections as a proxy may keep open. */
const CONNECTIONS = 24
const HEAD_OF_LAST = /^connection: close\r$/im

/** A proxy's connection: request after request, until an answer says that it was the last. */
interface Kept {
  /** Resolves to how it ended: told so by an answer, or cut with a request unanswered. */
  ended: Promise<'told' | 'cut'>
  answers(): number
}

function keep({ origin }: Server, path: string): Kept {
  const { port, host } = new URL(origin)
  const text = requestText('GET', path, { host, connection: 'keep-alive' })
  let answers = 0
  const ended = new Promise<'told' | 'cut'>((resolve) => {
    const socket = connect(Number(port), 'localhost')
    let received = ''
    socket.on('connect', () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const head = received.slice(0, received.indexOf('\r\n\r\n') + 2)
      const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1])
      if (head.length < 3 || received.length < head.length + 2 + length) return
      answers += 1
      received = ''
      if (!HEAD_OF_LAST.test(head)) return void setTimeout(() => socket.write(text), 10)
      socket.destroy()
      resolve('told')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve('cut'))
  })
  return { ended, answers: () => answers }
}

for (const runtime of RUNTIMES) {
  test(
    `on ${runtime} SIGTERM breaks off no request on a connection in use, and readiness fails first`,
    async () => {
      const server = await startServer({ runtime, env: { SERVICE_DRAIN_MS: '3000' } })
      const slug = await newSlug(server)
      // Cached launchers, the router and pages take different paths.
      const paths = [`/l/${slug}`, `/l/${slug}/qr.svg`, '/sign-in']
      for (const path of paths) expect((await fetch(server.origin + path)).status).toBe(200)
      const ready = async () => {
        const answer = await fetch(`${server.origin}/readyz`)
        return [answer.status, await answer.text()]
      }
      expect(await ready()).toEqual([200, 'ready'])
      const kept = Array.from({ length: CONNECTIONS }, (_, at) => keep(server, paths[at % paths.length] ?? ''))
      await eventually(() => kept.every(({ answers }) => answers() > 2), 'every connection is in use')
      const stopped = server.stop()
      await becomes(ready, [503, 'stopping'])
      // Clients that have not noticed yet are still served.
      expect((await fetch(`${server.origin}/l/${slug}`)).status).toBe(200)
      expect(await Promise.all(kept.map(({ ended }) => ended))).toEqual(kept.map(() => 'told'))
      expect(await stopped).toBe(0)
      expect(server.output()).toContain('"msg":"draining"')
    },
    PATIENCE_MS,
  )
}

test('SIGINT, as from a terminal, stops at once', async () => {
  const server = await startServer({ env: { SERVICE_DRAIN_MS: '1' } })
  expect(await server.stop('SIGINT')).toBe(0)
  expect(server.output()).toContain('"msg":"stopping"')
  expect(server.output()).not.toContain('"msg":"draining"')
})
