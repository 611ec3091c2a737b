import { expect, test } from 'bun:test'
import { newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const MADE = /^\/made\/[\w-]{80,}$/

onEveryTarget({}, (server) => {
  const makeBy = async (visitor: Visitor) => {
    const answer = await visitor.publish({ urls: 'https://a.example\nhello', idempotencyKey: crypto.randomUUID() })
    return { status: answer.status, location: answer.headers.get('location') ?? '' }
  }

  test('a form leads to a result page whose address cannot be guessed, cached or leaked', async () => {
    const visitor = new Visitor(server())
    const { status, location } = await makeBy(visitor)
    expect([status, MADE.test(location)]).toEqual([303, true])
    const page = await visitor.fetch(location)
    expect(page.status).toBe(200)
    expect(['cache-control', 'x-robots-tag', 'referrer-policy'].map((name) => page.headers.get(name))).toEqual([
      'no-store, no-transform',
      'noindex',
      'no-referrer',
    ])
    const html = await page.text()
    const [, token = ''] = /\/claim\/([\w-]{43})"/.exec(html) ?? []
    expect(token).not.toBe('')
    // Finding the address in a log or a history does not reveal the token.
    expect(Buffer.from(location.slice('/made/'.length), 'base64url').toString('latin1')).not.toContain(token)
    expect(await (await fetch(server().origin + location)).text()).toBe(html)
  })

  test('an address that was changed, cut or made up is 404', async () => {
    const { location } = await makeBy(new Visitor(server()))
    const other = location.at(-6) === 'A' ? 'B' : 'A'
    const wrong = [
      `${location.slice(0, -6)}${other}${location.slice(-5)}`,
      location.slice(0, -8),
      '/made/x',
      `/made/${'A'.repeat(120)}`,
    ]
    for (const path of wrong) expect((await fetch(server().origin + path)).status).toBe(404)
  })

  test('once the claim link has been used, the page no longer shows it', async () => {
    const { location } = await makeBy(new Visitor(server()))
    const before = await (await fetch(server().origin + location)).text()
    const [, token = ''] = /\/claim\/([\w-]{43})"/.exec(before) ?? []
    const owner = await newPerson(server())
    expect((await owner.api('POST', '/api/claims', { token })).status).toBe(200)
    const after = await (await fetch(server().origin + location)).text()
    expect([after.includes('/claim/'), after.includes('Your link is ready.')]).toEqual([false, true])
    expect(after).toContain('Edit')
  })

  test('signed-in people get no claim link, but an edit button', async () => {
    const owner = await newPerson(server())
    const { location } = await makeBy(owner)
    const html = await (await owner.fetch(location)).text()
    expect(html).not.toContain('/claim/')
    expect(html).toMatch(/href="\/dashboard\/links\/[a-z0-9]{10}"/)
  })
})
