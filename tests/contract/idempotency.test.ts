import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { type Answer, countBundles, create, onEveryRuntime, START_MS, URL_OK } from './support.ts'

const REPLAYED = 'idempotency-replayed'
const key = (name: string) => ({ 'idempotency-key': name.padEnd(22, '.') })

onEveryRuntime({}, (server) => {
  test('the same key and body get the first answer again, and nothing is made', async () => {
    const first = await create(server(), { urls: [URL_OK], title: 'once' }, key('again'))
    const before = await countBundles(server())
    // The same body in other bytes: fields in another order and spaces around the URL.
    const second = await create(server(), { title: 'once', urls: [` ${URL_OK}`] }, key('again'))
    expect([first.status, first.headers.has(REPLAYED)]).toEqual([201, false])
    expect([second.status, second.headers.get(REPLAYED)]).toEqual([201, 'true'])
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(second.body).toEqual(first.body)
    expect(await countBundles(server())).toBe(before)
  })

  test('the same key with another body is 409, and nothing is made', async () => {
    await create(server(), { urls: [URL_OK] }, key('conflict'))
    const before = await countBundles(server())
    const { status, body } = await create(server(), { urls: [URL_OK], title: 'other' }, key('conflict'))
    expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    expect(await countBundles(server())).toBe(before)
  })

  test('a refused call does not use up the key', async () => {
    expect((await create(server(), { urls: [] }, key('refused'))).status).toBe(400)
    expect((await create(server(), { urls: [URL_OK] }, key('refused'))).status).toBe(201)
  })

  test('without a key the same body makes another bundle', async () => {
    const answers = [await create(server(), { urls: [URL_OK] }), await create(server(), { urls: [URL_OK] })]
    expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(2)
  })

  test('ten sends at once have one effect and one answer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await countBundles(server())
      const send = () => create(server(), { urls: [URL_OK] }, key(`at once ${round}`))
      const answers = await Promise.all(Array.from({ length: 10 }, send))
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
      expect(new Set(answers.map(({ body }) => body.claimToken)).size).toBe(1)
      expect(answers.filter(({ headers }) => headers.get(REPLAYED) === null)).toHaveLength(1)
      expect(await countBundles(server())).toBe(before + 1)
    }
  })

  test('ten sends at once with two bodies have one effect; the other body gets the conflict', async () => {
    const before = await countBundles(server())
    const send = (_: unknown, index: number) =>
      create(server(), { urls: [URL_OK], title: `body ${index % 2}` }, key('two bodies'))
    const answers: Answer[] = await Promise.all(Array.from({ length: 10 }, send))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(409)])
    expect(await countBundles(server())).toBe(before + 1)
  })
})

for (const runtime of RUNTIMES) {
  describe(`after a restart on ${runtime}`, () => {
    let server: Server
    beforeAll(async () => {
      server = await startServer({ runtime })
    }, START_MS)
    afterAll(async () => {
      await server.stop()
    })

    test(
      'the first answer is still given to holders of the key, and cannot be read from the database',
      async () => {
        const name = 'a-raw-idempotency-key-to-look-for'
        const first = await create(server, { urls: [URL_OK] }, key(name))
        const unkeyed = await create(server, { urls: [URL_OK] })
        const secrets = [first.body.claimToken, unkeyed.body.claimToken, name]
        await server.kill()
        const bytes = Buffer.concat(server.files().map((path) => readFileSync(path)))
        expect(bytes.includes(first.body.slug)).toBeTrue()
        expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([])
        await server.restart()
        const again = await create(server, { urls: [URL_OK] }, key(name))
        expect(again.body).toEqual(first.body)
      },
      START_MS,
    )
  })
}
