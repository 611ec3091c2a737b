import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { brokenConstraint, openStore, type Store } from '../../db/client.ts'
import { type Sqld, startSqld } from '../sqld.ts'

setDefaultTimeout(180_000)

const insert = (id: string) => sql`INSERT INTO counter_batches (id, at) VALUES (${id}, 1)`
const count = sql`SELECT count(*) AS n FROM counter_batches`
const wrong = sql`SELECT nothing FROM counter_batches`

describe.each(['http:', 'ws:'])('over %s', (protocol) => {
  let sqld: Sqld
  let store: Store

  beforeAll(async () => {
    sqld = await startSqld()
    store = await openStore({ url: sqld.url.replace('http:', protocol), authToken: sqld.token })
  })
  afterAll(async () => {
    await store.close()
    await sqld.stop()
  })

  const read = async () => (await store.db.all<{ n: number }>(count))[0]?.n
  const readAll = (times: number) => Promise.all(Array.from({ length: times }, read))
  const outcomes = async (asked: Promise<unknown>[]) => (await Promise.allSettled(asked)).map(({ status }) => status)

  test('each read sees every answered write', async () => {
    const before = Number(await read())
    for (let n = 1; n <= 30; n += 1) {
      await store.write([insert(`seen ${n}`)])
      expect(await readAll(6)).toEqual(Array.from({ length: 6 }, () => before + n))
    }
  })

  test('a failing statement does not affect those sent with it', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => store.db.all(n % 7 === 3 ? wrong : count))
    expect(await outcomes(asked)).toEqual(asked.map((_, n) => (n % 7 === 3 ? 'rejected' : 'fulfilled')))
  })

  test('a batch of reads is one transaction, and a failed one leaves nothing open', async () => {
    const one = store.db.select({ id: sql<string>`id` }).from(sql`counter_batches`)
    const [ids, again] = await store.db.batch([one, one])
    expect(ids).toEqual(again)
    await expect(
      store.db.batch([one, store.db.select({ no: sql`nothing` }).from(sql`counter_batches`)]),
    ).rejects.toThrow()
    await store.write([insert('after a wrong batch')])
    expect(await readAll(10)).toEqual(Array.from({ length: 10 }, () => ids.length + 1))
  })

  test('a refused write names the constraint, is rolled back, and the next succeeds', async () => {
    await store.write([insert('taken')])
    const refused = store.write([insert('undone'), insert('taken')]).catch((error: unknown) => brokenConstraint(error))
    expect(await refused).toContain('counter_batches.id')
    await store.write([insert('undone')])
  })

  test('after a restart of the server no read or write is refused', async () => {
    await readAll(20)
    await store.write([insert('before')])
    await sqld.kill()
    await sqld.restart()
    expect(await outcomes([...Array.from({ length: 20 }, read), store.write([insert('after')])])).not.toContain(
      'rejected',
    )
  })

  // Over a WebSocket nothing closes them.
  if (protocol === 'http:') {
    test('idle streams that the server has closed cost no read and no write', async () => {
      await readAll(20)
      await Bun.sleep(12_000)
      expect(await outcomes([...Array.from({ length: 20 }, read), store.write([insert('idle')])])).not.toContain(
        'rejected',
      )
    })
  }

  test('while the server is silent everything fails in parallel, and then recovers', async () => {
    await sqld.freeze()
    try {
      const asked = [...Array.from({ length: 200 }, read), store.write([insert('silent')])]
      const ended = outcomes(asked)
      await Promise.race(asked).catch(() => {})
      // Sent after the first had failed, so all others end before it.
      const later = read().then(
        () => 'answered',
        () => 'failed',
      )
      expect(await Promise.race([ended.then((all) => [...new Set(all)].join()), later])).toBe('rejected')
      expect(await later).toBe('failed')
    } finally {
      sqld.thaw()
    }
    expect(await outcomes(Array.from({ length: 20 }, read))).not.toContain('rejected')
    await store.write([insert('after silence')])
  })
})

test('reads and writes reuse streams instead of opening one each', async () => {
  const sqld = await startSqld()
  const { fetch } = globalThis
  const sent: string[] = []
  globalThis.fetch = Object.assign(async (...given: Parameters<typeof fetch>) => {
    if (given[0] instanceof Request) sent.push(await given[0].clone().text())
    return fetch(...given)
  }, fetch)
  const store = await openStore({ url: sqld.url, authToken: sqld.token })
  try {
    sent.length = 0
    for (let n = 0; n < 20; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => store.db.all(count)))
      await store.write([insert(`kept ${n}`)])
    }
    const opened = sent.filter((text) => JSON.parse(text).baton === undefined)
    expect(opened.length).toBeLessThanOrEqual(8)
    expect(opened.length).toBeGreaterThan(0)
  } finally {
    globalThis.fetch = fetch
    await store.close()
    await sqld.stop()
  }
})
