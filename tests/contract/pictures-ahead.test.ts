import { expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// When preview pictures are drawn: soon after a change, a bounded number, and never of what strangers may not see.

onEveryTarget({ SERVICE_PICTURES_AHEAD: 'on', LOG_LEVEL: 'debug' }, (server) => {
  const drawn = () => server().output().split('a preview picture was drawn').length - 1
  const LONG_MS = 30_000
  /** What was drawn since, once nothing more is expected. */
  const settled = async (since: number) => {
    await Bun.sleep(4_000)
    for (let last = -1; last !== drawn(); await Bun.sleep(3_000)) last = drawn()
    return drawn() - since
  }

  test('a bundle’s picture is drawn once it is made and once it is edited, however often; nobody has to ask', async () => {
    const owner = await newPerson(server())
    const before = drawn()
    const { slug, url } = await owner.makeBundle({ title: 'Edited' })
    await eventually(() => drawn() === before + 1, 'it is drawn', LONG_MS)
    for (let at = 0; at < 100; at += 1) await owner.api('PATCH', `/api/links/${slug}`, { title: `Edited ${at}` })
    await eventually(() => drawn() > before + 1, 'it is drawn again', LONG_MS)
    const made = await settled(before)
    expect(made).toBeLessThanOrEqual(3)
    const [, picture = ''] = /property="og:image" content="([^"]+)"/.exec(await (await fetch(url)).text()) ?? []
    expect((await fetch(picture.replaceAll('&amp;', '&'))).status).toBe(200)
    expect(drawn() - before).toBe(made)
  })

  test('so is one without an account', async () => {
    const visitor = new Visitor(server())
    const before = drawn()
    await visitor.makeBundle({ title: 'Nobody’s' })
    await eventually(() => drawn() === before + 1, 'it is drawn', LONG_MS)
  })

  test('one that strangers may not see, is not open, or is gone again, is not drawn', async () => {
    const owner = await newPerson(server())
    const before = drawn()
    await owner.makeBundle({ title: 'Members', access: 'members' } as never)
    await owner.makeBundle({ title: 'Password', access: 'password', password: 'open sesame' } as never)
    await owner.makeBundle({ title: 'Later', opensAt: '2099-01-01T00:00:00Z' } as never)
    const { slug } = await owner.makeBundle({ title: 'Gone' })
    await owner.api('DELETE', `/api/links/${slug}`)
    expect(await settled(before)).toBe(0)
  })

  test('of an import, some are drawn, and the others when somebody asks', async () => {
    const owner = await newPerson(server())
    const before = drawn()
    const bundles = Array.from({ length: 60 }, (_, at) => ({ title: `Imported ${at}`, urls: ['https://a.example'] }))
    const { body } = await owner.api<{ results: { bundle: { slug: string } }[] }>('POST', '/api/links/bulk', {
      bundles,
    })
    expect(body.results).toHaveLength(60)
    const count = await settled(before)
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThanOrEqual(20)
    const [last] = body.results.slice(-1)
    expect((await fetch(`${server().origin}/l/${last?.bundle.slug}/picture.png`)).headers.get('etag')).not.toBeNull()
  })
})
