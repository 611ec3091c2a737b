import { expect, setDefaultTimeout, test } from 'bun:test'
import { arrive } from '../people.ts'
import { onEveryRuntime } from './support.ts'

setDefaultTimeout(60_000)

onEveryRuntime({}, (at) => {
  test('who searches forty times at once, for what takes long to look for, holds up nobody else', async () => {
    const [ann, bob] = [await arrive(at()), await arrive(at())]
    await bob.makeBundle()
    const urls = Array.from({ length: 25 }, (_, index) => `https://a.example/${index}/${'x'.repeat(2000)}`)
    for (let made = 0; made < 20; made += 1) await ann.makeBundle({ urls })
    let isFirst = () => {}
    const first = new Promise<void>((resolve) => (isFirst = resolve))
    let answered = 0
    const searches = Array.from({ length: 40 }, async (_, index) => {
      const { status } = await ann.api('GET', `/api/me/links?limit=1&q=${'x'.repeat(150)}${index}`)
      answered += 1
      isFirst()
      return status
    })
    await first
    expect((await fetch(`${at().origin}/readyz`)).status).toBe(200)
    expect((await bob.api('GET', '/api/me/links?q=example')).status).toBe(200)
    // A server's store has its own queue: reads over it do not hold the event loop.
    if (!at().database.startsWith('http')) expect(answered).toBeLessThan(20)
    expect(new Set(await Promise.all(searches))).toEqual(new Set([200]))
  })
})
