import { expect, setDefaultTimeout, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { onEveryRuntime } from './support.ts'

setDefaultTimeout(60_000)

onEveryRuntime({}, (at) => {
  test('forty slow searches by one person delay nobody else', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
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
    // A database server has its own queue: reads from it do not block the event loop.
    if (!at().database.startsWith('http')) expect(answered).toBeLessThan(20)
    expect(new Set(await Promise.all(searches))).toEqual(new Set([200]))
  })

  test.each(['previews', 'dry runs', 'pages'] as const)(
    'forty simultaneous requests for %s delay nobody else either',
    async (what) => {
      const [ann, bob] = [await newPerson(at()), await newPerson(at())]
      const { slug } = await ann.makeBundle(LONG)
      const { slug: own } = await bob.makeBundle()
      const ask = async () => {
        if (what === 'pages') return (await ann.fetch(`/dashboard/links/${slug}`)).status
        const path = what === 'previews' ? `/api/links/${slug}/policy/preview` : '/api/links'
        const body = what === 'previews' ? { resolutionPolicy: POLICY } : { ...LONG, dryRun: true }
        return (await ann.api('POST', path, body)).status
      }
      let answered = 0
      const asked = Array.from({ length: 40 }, async () => {
        const status = await ask()
        answered += 1
        return status
      })
      await Promise.race(asked)
      expect((await bob.api('POST', `/api/links/${own}/policy/preview`, {})).status).toBe(200)
      if (!at().database.startsWith('http')) expect(answered).toBeLessThan(20)
      expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
    },
  )
})

/** A policy that is slow to check and to test, within the bounds. */
const POLICY = {
  version: 1,
  rules: Array.from({ length: 50 }, (_, rule) => ({
    name: `Rule ${rule}`,
    when: { op: 'in', field: 'emailDomain', values: Array.from({ length: 100 }, (_, at) => `${rule}-${at}.example`) },
    tabs: Array.from({ length: 20 }, (_, tab) => ({ url: `https://a.example/${rule}/${tab}` })),
  })),
}

const LONG = { urls: Array.from({ length: 25 }, (_, at) => `https://a.example/${at}`), resolutionPolicy: POLICY }
