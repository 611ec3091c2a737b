import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeCertificate, trusting } from '../certificate.ts'
import { eventually } from '../eventually.ts'
import { need } from '../needs.ts'
import { newPerson, type Person } from '../people.ts'
import { forgetPeakMemory, mainThreadMs } from '../processes.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

// Receivers of webhooks that send whatever might keep the service from everything else, with real sockets.

setDefaultTimeout(180_000)

const PROGRAM = fileURLToPath(new URL('./attackers.ts', import.meta.url))
/** What may pass until `/healthz` answers, and what sending may take of memory. */
const MAX_HELD_MS = 250
const MAX_GROWN_MIB = 32
/** An account may have ten webhooks, and of its events eight are sent at a time. */
const AT_A_TIME = 5

const TOO_LARGE = /^the answer has more than 64 KiB$/
const TOO_MANY = /^the answer was preceded by more than 20 interim ones$/
const TOO_SLOW = /^there was no complete answer within 10 seconds$/
/** Where a parser may be faster than the limit. */
const GIVEN_UP =
  /^(the answer has more than 64 KiB|the answer was cut off|no connection could be made, or it was lost)$/
const ANSWERED = /^(200|no connection could be made, or it was lost)$/

/** What becomes of a delivery, by what the receiver does. */
const PLAIN: [path: string, becomes: RegExp][] = [
  ['/continue', TOO_MANY],
  ['/early-hints', TOO_MANY],
  ['/one-byte-chunks', TOO_LARGE],
  ['/size-of-zeros', TOO_LARGE],
  ['/chunk-extensions', GIVEN_UP],
  ['/trailers', GIVEN_UP],
  ['/headers', GIVEN_UP],
  ['/long-header', GIVEN_UP],
  ['/long-status', GIVEN_UP],
  ['/huge-body', TOO_LARGE],
  ['/until-closed', TOO_LARGE],
  ['/no-http', GIVEN_UP],
  // An answer is an answer, whatever comes behind it; in one piece with it, it is no HTTP.
  ['/answers-after-the-answer', ANSWERED],
  ['/bytes-after-the-answer', ANSWERED],
  ['/redirect', TOO_LARGE],
]
const OVER_TLS = PLAIN.filter(([path]) => path === '/continue' || path === '/one-byte-chunks')

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  let server: Server
  let attackers: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  /** Of the attackers: plain, over TLS, and two of what only looks like TLS. */
  let ports: number[]

  beforeAll(async () => {
    need('openssl')
    const { key, cert } = makeCertificate(folder, 'localhost')
    attackers = Bun.spawn([process.execPath, PROGRAM, key, cert], {
      stdout: 'pipe',
      stderr: 'inherit',
      stdin: 'ignore',
    })
    const { value } = await attackers.stdout.getReader().read()
    ports = JSON.parse(new TextDecoder().decode(value)) as number[]
    server = await startServer({ runtime, env: { SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true', ...trusting(cert) } })
  })
  afterAll(async () => {
    attackers?.kill()
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  /** Sends a test event to each URL, some at a time. @returns why each failed, or the status it was answered with. */
  const sendAll = async (person: Person, urls: readonly string[]): Promise<string[]> => {
    const results: string[] = []
    for (let at = 0; at < urls.length; at += AT_A_TIME) {
      results.push(...(await Promise.all(urls.slice(at, at + AT_A_TIME).map((url) => send(person, url)))))
    }
    return results
  }
  const send = async (person: Person, url: string): Promise<string> => {
    const wishes = { url, events: ['bundle.created'] }
    const { body } = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', wishes)
    const address = `/api/me/webhooks/${body.webhook.id}`
    await person.api('POST', `${address}/test`)
    // Read from the database: the service has enough to do.
    const query = 'SELECT coalesce(failure, status) AS became FROM outbox WHERE webhook_id = ? AND due_at IS NULL'
    const over = () => server.sql(query, [body.webhook.id])
    await eventually(async () => (await over()).length === 1, `the delivery to ${url} is over`)
    const [row] = await over()
    await person.api('DELETE', address)
    return String(row?.became)
  }
  /** What /healthz waited for the service at most, while some work is done, in milliseconds of its processor time. */
  const heldWhile = async <T>(work: Promise<T>): Promise<{ result: T; heldMs: number }> => {
    let isDone = false
    const result = work.finally(() => {
      isDone = true
    })
    let heldMs = 0
    while (!isDone) {
      const start = mainThreadMs(server.pid())
      const { ok } = await fetch(`${server.origin}/healthz`, { signal: AbortSignal.timeout(60_000) })
      if (!ok) throw new Error('/healthz is not well')
      heldMs = Math.max(heldMs, mainThreadMs(server.pid()) - start)
      await Bun.sleep(50)
    }
    return { result: await result, heldMs }
  }

  test('whatever a receiver sends, for as long as it may, the service answers everybody else and needs no memory', async () => {
    const [plain = 0, tls = 0, ...notTls] = ports
    const attacks = [
      ...PLAIN.map(([path, becomes]) => ({ url: `http://localhost:${plain}${path}`, becomes })),
      ...OVER_TLS.map(([path, becomes]) => ({ url: `https://localhost:${tls}${path}`, becomes })),
      ...notTls.map((port) => ({ url: `https://localhost:${port}/`, becomes: GIVEN_UP })),
    ]
    const slow = { url: `http://localhost:${plain}/drip`, becomes: TOO_SLOW }
    const person = await newPerson(server)
    // First honest receivers, and more probes than later: what the runtime takes for anything it does does not count.
    const honest = [`http://localhost:${plain}/`, `https://localhost:${tls}/`]
    expect(await sendAll(person, [...honest, ...honest, ...honest])).toEqual(Array(6).fill('200'))
    for (let probes = 0; probes < 3_000; probes += 1) await fetch(`${server.origin}/healthz`)

    const before = forgetPeakMemory(server.pid())
    const sending = Promise.all([
      send(person, slow.url),
      sendAll(
        person,
        attacks.map(({ url }) => url),
      ),
    ])
    const { result, heldMs } = await heldWhile(sending)
    const grownMib = server.peakMemory() - before
    // Of the processor, because by the clock /healthz also waits for other processes of a busy machine, the attackers
    // among them.
    expect(heldMs).toBeLessThan(MAX_HELD_MS)
    expect(grownMib).toBeLessThan(MAX_GROWN_MIB)
    const became = result.flat()
    const all = [slow, ...attacks].map(({ url, becomes }, index) => ({ url, becomes, became: became[index] ?? '' }))
    expect(all.filter(({ becomes, became }) => !becomes.test(became))).toEqual([])
  })
})
