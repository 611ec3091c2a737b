import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { ERROR_FIELDS } from '../told.ts'
import { type Answer, create, newSlug, post, publish, START_MS, sendEvent, submit, URL_OK } from './support.ts'

const OK = { urls: [URL_OK] }
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()
const at = (address: string) => ({ 'x-client': address })
const times = <T>(count: number, send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))

onEveryTarget({ SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '3', SERVICE_CLIENT_IP_HEADER: 'X-Client' }, (server) => {
  test('each address has its own cap, and so has each IPv6 customer', async () => {
    for (const address of ['2001:db8::1', '2001:DB8::2', '2001:db8:0:0:ffff::1']) {
      expect((await create(server(), OK, at(address))).status).toBe(201)
    }
    expect((await create(server(), OK, at('2001:db8:0::3'))).status).toBe(403)
    expect((await create(server(), OK, at('2001:db8:0:1::1'))).status).toBe(201)
    expect((await create(server(), OK, at('192.0.2.2'))).status).toBe(201)
  })

  test('an IPv4 address in IPv6 notation is the same address', async () => {
    const answers = []
    for (const address of ['192.0.2.3', '::ffff:192.0.2.3', '::FFFF:192.0.2.3', '192.0.2.3']) {
      answers.push(await create(server(), OK, at(address)))
    }
    expect(statuses(answers)).toEqual([201, 201, 201, 403])
  })

  test('an address is the same with and without a port, and an invalid one is replaced by the socket’s', async () => {
    for (const [addresses, other] of [
      [['192.0.2.5:1024', '192.0.2.5:65535', ' 192.0.2.5 '], '192.0.2.5'],
      [['[2001:db8:5::1]:443', '[2001:db8:5::2]', '2001:db8:5::3'], '[2001:DB8:5::4]:1'],
      [['192.0.2.6', '::ffff:c000:206', '0:0:0:0:0:ffff:192.0.2.6'], '[::ffff:192.0.2.6]:80'],
      [['unknown', '_hidden', '192.0.2.256'], '2001:db8::1::2'],
    ] as const) {
      const answers = []
      for (const address of addresses) answers.push(await create(server(), OK, at(address)))
      expect([...statuses(answers), (await create(server(), OK, at(other))).status]).toEqual([201, 201, 201, 403])
    }
    expect((await create(server(), OK)).status).toBe(403)
  })

  test('a create refused at the cap may be sent again with its key', async () => {
    const send = (key: string) => create(server(), OK, { ...at('192.0.2.4'), 'idempotency-key': key })
    await times(3, (index) => send(`held ${index}`))
    expect((await send('over')).status).toBe(403)
    expect((await send('over')).status).toBe(403)
    expect((await send('held 1')).headers.get('idempotency-replayed')).toBe('true')
  })
})

const WINDOW = { SERVICE_RATE_LIMIT_WINDOW_MS: '600000', SERVICE_RATE_LIMIT_MAX_REQUESTS: '4' }

for (const runtime of RUNTIMES) {
  describe(`the address limit on ${runtime}`, () => {
    let direct: Server
    let proxied: Server
    let brief: Server
    beforeAll(async () => {
      ;[direct, proxied, brief] = await Promise.all([
        startServer({ runtime, env: WINDOW }),
        startServer({ runtime, env: { ...WINDOW, SERVICE_CLIENT_IP_HEADER: 'x-client' } }),
        startServer({ runtime, env: { ...WINDOW, SERVICE_RATE_LIMIT_WINDOW_MS: '4000' } }),
      ])
    }, START_MS)
    afterAll(async () => {
      await Promise.all([direct.stop(), proxied.stop(), brief.stop()])
    })

    test('creates and events share one bucket, whatever the forwarding headers say', async () => {
      const forged = (index: number) => ({
        'x-forwarded-for': `198.51.100.${index}`,
        'x-client': `203.0.113.${index}`,
        forwarded: `for=192.0.2.${index}`,
      })
      const answers: Answer[] = [
        ...(await times(5, (index) => create(direct, OK, forged(index)))),
        ...(await times(5, (index) => sendEvent(direct, 'unknown123', forged(index)))),
      ]
      expect(answers.filter(({ status }) => status !== 429)).toHaveLength(4)
      const page = await publish(direct, { urls: URL_OK, title: 'typed with care' })
      expect(page.status).toBe(429)
      expect(page.html).toContain('typed with care')
      // Valid and invalid requests alike, because the limit is checked before the input.
      expect((await create(direct, '{')).status).toBe(429)
      expect((await create(direct, OK, { 'idempotency-key': 'ä' })).status).toBe(429)
      expect((await create(direct, OK, { authorization: 'Bearer x' })).status).toBe(401)
    })

    test('a form that another site has a browser send uses nothing up', async () => {
      const from = at('192.0.2.99')
      const foreign = { ...from, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      for (let sent = 0; sent < 10; sent += 1) {
        expect((await submit(proxied, { urls: URL_OK }, foreign)).status).toBe(403)
      }
      expect(statuses(await times(4, () => create(proxied, OK, from)))).toEqual([201, 201, 201, 201])
    })

    test('429 says when to come back, in both body and header, and then one request passes', async () => {
      let refused = await create(brief, OK)
      while (refused.status !== 429) refused = await create(brief, OK)
      const { code, error, retryAfterSeconds } = refused.body
      expect(Object.keys(refused.body).sort()).toEqual([...ERROR_FIELDS, 'retryAfterSeconds'].sort())
      expect(code).toBe('RATE_LIMITED')
      expect(error).toContain(`${retryAfterSeconds} second`)
      expect(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1).toBeTrue()
      expect(refused.headers.get('retry-after')).toBe(String(retryAfterSeconds))
      await Bun.sleep(retryAfterSeconds * 1000)
      expect((await create(brief, OK)).status).toBe(201)
    }, 180_000)

    test('pages and files are not limited', async () => {
      const answers = await times(12, () => fetch(direct.origin))
      expect(statuses(answers)).toEqual(Array(12).fill(200))
    })

    test('behind a trusted proxy each client has its own bucket, an IPv6 one per /64', async () => {
      const send = (address: string) => create(proxied, OK, at(address))
      for (const [own, other] of [
        ['192.0.2.1', '192.0.2.2'],
        ['2001:db8::1', '2001:db8:0:1::1'],
      ] as const) {
        expect(statuses(await times(5, () => send(own)))).toEqual([201, 201, 201, 201, 429])
        expect((await send(other)).status).toBe(201)
      }
      expect((await send('2001:db8::ffff')).status).toBe(429)
    })

    test('the networks of one IPv6 /48 share a wider bucket, eight times as large', async () => {
      const send = (index: number) => create(proxied, OK, at(`2001:db8:77:${index.toString(16)}::1`))
      expect(statuses(await times(40, send))).toEqual([...Array(32).fill(201), ...Array(8).fill(429)])
      const { headers, body } = await send(99)
      expect(body.retryAfterSeconds).toBeGreaterThan(500)
      expect(headers.get('retry-after')).toBe(String(body.retryAfterSeconds))
      expect((await create(proxied, OK, at('2001:db8:78::1'))).status).toBe(201)
      const signIn = (index: number) =>
        post(
          `${proxied.origin}/api/auth/sign-in/magic-link`,
          { email: `wide-${index}@people.example` },
          at(`2001:db8:79:${index.toString(16)}::1`),
        )
      expect(statuses(await times(36, signIn))).toEqual([...Array(32).fill(200), ...Array(4).fill(429)])
      const slug = await newSlug(proxied)
      const report = (index: number) =>
        post(
          `${proxied.origin}/api/links/${slug}/reports`,
          { reason: 'spam' },
          at(`2001:db8:80:${index.toString(16)}::1`),
        )
      expect(statuses(await times(44, report))).toEqual([...Array(40).fill(204), ...Array(4).fill(429)])
      const read = async (index: number) => {
        const headers = at(`2001:db8:81:${index.toString(16)}::1`)
        const body = new URLSearchParams({ urls: 'https://a.example/' })
        return { status: (await fetch(`${proxied.origin}/found`, { method: 'POST', headers, body })).status }
      }
      expect(statuses(await times(964, read)).filter((status) => status === 200)).toHaveLength(960)
    })

    test('of several forwarded addresses, only the one that the proxy added counts', async () => {
      const answers = await times(5, (index) => create(proxied, OK, at(`10.0.0.${index}, 192.0.2.9`)))
      expect(statuses(answers)).toEqual([201, 201, 201, 201, 429])
    })

    test('a replayed answer counts like any request', async () => {
      const headers = { ...at('192.0.2.10'), 'idempotency-key': 'charged' }
      const answers = []
      for (let sent = 0; sent < 5; sent += 1) answers.push(await create(proxied, OK, headers))
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429])
      expect(await newSlug(proxied)).toMatch(/./)
    })
  })
}
