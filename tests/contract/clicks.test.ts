import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson, Visitor } from '../people.ts'
import { newAddress } from '../security/callers.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { BROWSER, counts } from './support.ts'

/** Headers of a click that a page of another site had its visitor's browser send, older browsers included. */
const FOREIGN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'OWN' },
  { 'sec-fetch-site': 'something-new' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

/** Headers of a click on a launcher. */
const OWN: Record<string, string>[] = [
  { 'sec-fetch-site': 'same-origin', origin: 'OWN' },
  { 'sec-fetch-site': 'none' },
  { origin: 'OWN' },
  {},
]

const LIMIT = 12

onEveryTarget(
  { SERVICE_RATE_LIMIT_MAX_REQUESTS: String(LIMIT), SERVICE_CLIENT_IP_HEADER: 'x-client' },
  (server: () => Server) => {
    /** Sends a click as a browser sends it from any page (`mode: 'no-cors'`). */
    const click = async (who: Visitor, slug: string, headers: Record<string, string> = {}, body?: string) => {
      const { origin = '', ...rest } = headers
      const { status } = await who.fetch(`/api/links/${slug}/events`, {
        method: 'POST',
        body: body ?? '{"kind":"open_all"}',
        headers: {
          ...BROWSER,
          'content-type': 'text/plain',
          ...rest,
          ...(origin === '' ? {} : { origin: origin === 'OWN' ? server().origin : origin }),
        },
      })
      return status
    }
    const stranger = () => new Visitor(server(), { 'x-client': newAddress() })
    const made = async () => (await stranger().makeBundle()).slug

    test('a click counts if a page of the service sent it; one of another site is dropped, and costs its visitor nothing', async () => {
      const slug = await made()
      const visitor = stranger()
      const escaped = `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`
      for (let round = 0; round < LIMIT; round += 1) {
        for (const from of FOREIGN) expect([from, await click(visitor, slug, from)]).toEqual([from, 204])
      }
      expect(await click(visitor, escaped, FOREIGN[0])).toBe(204)
      // That page learns nothing, not even that it sent nonsense.
      expect(await click(visitor, slug, FOREIGN[0], 'nonsense')).toBe(204)
      for (const from of OWN) expect([from, await click(visitor, slug, from)]).toEqual([from, 204])
      await becomes(() => counts(server(), slug), { views: 0, clicks: OWN.length })
    })

    test('a signed-in visitor’s click from another site is dropped as well', async () => {
      const slug = await made()
      const ann = await newPerson(server())
      for (const from of FOREIGN) expect([from, await click(ann, slug, from)]).toEqual([from, 204])
      expect(await click(ann, slug, OWN[0])).toBe(204)
      await becomes(() => counts(server(), slug), { views: 0, clicks: 1 })
    })

    test('a key without a limit of requests has its address’s of clicks, and no key reports more than its address may', async () => {
      const slug = await made()
      const ann = await newPerson(server())
      const keyed = async (rateLimitPerHour: number) => {
        const { body } = await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'a key', rateLimitPerHour })
        return new Visitor(server(), { 'x-client': newAddress(), authorization: `Bearer ${body.rawKey}` })
      }
      const [unlimited, limited] = [await keyed(0), await keyed(1000)]
      for (let sent = 0; sent < LIMIT; sent += 1) expect(await click(unlimited, slug)).toBe(204)
      expect(await click(unlimited, slug)).toBe(429)
      for (let sent = 0; sent <= LIMIT; sent += 1) expect(await click(limited, slug)).toBe(204)
      const report = (who: Visitor) => who.api('POST', `/api/links/${slug}/reports`, { reason: 'spam' })
      for (const key of [unlimited, limited]) {
        for (let sent = 0; sent < 5; sent += 1) expect((await report(key)).status).toBe(204)
        expect((await report(key)).status).toBe(429)
      }
      expect((await report(limited)).headers.get('ratelimit')).toContain('"perhr";r=')
    })

    test('an address has one limit of clicks, with and without a session', async () => {
      const slug = await made()
      const ann = await newPerson(server())
      ann.always['x-client'] = newAddress()
      const statuses: number[] = []
      for (let sent = 0; sent < LIMIT; sent += 1) statuses.push(await click(ann, slug))
      expect(statuses).toEqual(Array(LIMIT).fill(204))
      expect(await click(ann, slug)).toBe(429)
      expect(await click(new Visitor(server(), ann.always), slug)).toBe(429)
      const key = await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'one' })
      const program = new Visitor(server(), { ...ann.always, authorization: `Bearer ${key.body.rawKey}` })
      expect(await click(program, slug)).toBe(204)
      await becomes(() => counts(server(), slug), { views: 0, clicks: LIMIT + 1 })
    })

    test('a bot’s click is not counted, as its view is not', async () => {
      const slug = await made()
      const visitor = stranger()
      const bots = ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'curl/8.0']
      for (const bot of bots) {
        expect((await visitor.fetch(`/l/${slug}`, { headers: { 'user-agent': bot } })).status).toBe(200)
        for (let sent = 0; sent < 3; sent += 1) {
          expect(await click(visitor, slug, { 'user-agent': bot })).toBe(204)
        }
      }
      await visitor.fetch(`/l/${slug}`, { headers: BROWSER })
      expect(await click(visitor, slug)).toBe(204)
      await becomes(() => counts(server(), slug), { views: 1, clicks: 1 })
    })
  },
)
