import { expect, setDefaultTimeout, test } from 'bun:test'
import { newPerson } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

onEveryTarget({}, (at) => {
  test('forty slow searches by one person delay nobody else', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    await bob.makeBundle()
    const urls = Array.from({ length: 25 }, (_, index) => `https://a.example/${index}/${'x'.repeat(2000)}`)
    for (let made = 0; made < 20; made += 1) await ann.makeBundle({ urls })
    await overtake(
      at(),
      async (index) => (await ann.api('GET', `/api/me/links?limit=1&q=${'x'.repeat(150)}${index}`)).status,
      async () => {
        expect((await fetch(`${at().origin}/readyz`)).status).toBe(200)
        expect((await bob.api('GET', '/api/me/links?q=example')).status).toBe(200)
      },
    )
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
      await overtake(at(), ask, async () => {
        expect((await bob.api('POST', `/api/links/${own}/policy/preview`, {})).status).toBe(200)
      })
    },
  )
})

/**
 * Sends forty slow requests at once and, when the first is answered, another person's, which must be answered before half
 * of the forty. Up to four times, because this process may get no processor while the service answers.
 */
async function overtake({ database }: Server, slow: (index: number) => Promise<number>, other: () => Promise<void>) {
  // A database server has its own queue: reads from it do not block the event loop.
  const mayWait = database.startsWith('http')
  let answeredBefore = 40
  for (let tries = 0; tries < 4 && answeredBefore >= 20; tries += 1) {
    let answered = 0
    const asked = Array.from({ length: 40 }, async (_, index) => {
      const status = await slow(index)
      answered += 1
      return status
    })
    await Promise.race(asked)
    await other()
    answeredBefore = mayWait ? 0 : answered
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
  }
  expect(answeredBefore).toBeLessThan(20)
}

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
