import { expect, test } from 'bun:test'
import { inflateSync } from 'node:zlib'
import { newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const pictureIn = (html: string) =>
  /property="og:image" content="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** The size of a PNG, and how many different bytes its rows have: an empty picture has few. */
async function look(url: string) {
  const answer = await fetch(url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const size = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const parts: Buffer[] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length))
  }
  const values = new Set(inflateSync(Buffer.concat(parts))).size
  return { status: answer.status, headers: answer.headers, bytes, size, values }
}

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (server) => {
  const launcher = async (url: string) => (await fetch(url)).text()

  test('a shared link has a picture of 1200 by 630, cached forever under a name that changes with its content', async () => {
    const owner = await newPerson(server())
    const { slug, url } = await owner.makeBundle({ title: 'Launch day' })
    const first = pictureIn(await launcher(url))
    expect(first).toStartWith(`${server().origin}/l/${slug}/picture.png?v=`)
    const { status, headers, size, values, bytes } = await look(first)
    expect([status, size, values > 50]).toEqual([200, [1200, 630], true])
    expect(['content-type', 'cache-control', 'cross-origin-resource-policy'].map((name) => headers.get(name))).toEqual([
      'image/png',
      'public, max-age=31536000, immutable',
      'cross-origin',
    ])
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Launch day, moved' })
    const second = pictureIn(await launcher(url))
    expect(second).not.toBe(first)
    expect((await look(second)).bytes.equals(bytes)).toBe(false)
    expect((await look(first)).headers.get('cache-control')).toBe('private, max-age=300')
  })

  test('if rules decide about the tabs, the picture shows none', async () => {
    const owner = await newPerson(server())
    const rules = [{ name: 'R', when: { op: 'signedIn' }, tabs: [{ url: 'https://secret.example' }] }]
    const make = (urls: string[]) =>
      owner.makeBundle({ title: 'Same', urls, resolutionPolicy: { version: 1, rules } } as never)
    const [one, two] = [await make(['https://a.example']), await make(['https://b.example', 'https://c.example'])]
    const names = [pictureIn(await launcher(one.url)), pictureIn(await launcher(two.url))].map(
      (url) => url.split('v=')[1],
    )
    expect(names[0]).toBe(names[1]!)
    const plain = await owner.makeBundle({ title: 'Same' })
    expect(pictureIn(await launcher(plain.url)).split('v=')[1]).not.toBe(names[0]!)
  })

  test('a title in any script, however long, gets a picture', async () => {
    const titles = ['دليل الفريق', '東京の週末', '🎉🎉', 'W'.repeat(200), '<svg>&"\'</svg>', ' word'.repeat(39)]
    for (const title of titles) {
      const { url } = await new Visitor(server()).makeBundle({ title })
      expect((await look(pictureIn(await launcher(url)))).size).toEqual([1200, 630])
    }
  })

  test('whoever asks for many at once gets the icon for most of them, for a minute, and takes no place of anybody else’s', async () => {
    const [flooder, bob] = ['192.0.2.1', '192.0.2.2']
    const owner = await newPerson(server())
    const made = Array.from({ length: 40 }, (_, n) => owner.makeBundle({ title: `Flood ${n}` }))
    const slugs = await Promise.all(made.map(async (bundle) => (await bundle).slug))
    const { slug } = await owner.makeBundle({ title: 'Bob’s' })
    const ask = async (of: string, client: string) => {
      const path = `${server().origin}/l/${of}/picture.png`
      const answer = await fetch(path, { redirect: 'manual', headers: { 'x-client': client } })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
      return answer.headers.get('cache-control') === 'private, max-age=60' ? 'icon' : 'picture'
    }
    let refused = () => {}
    const isFull = new Promise<void>((resolve) => (refused = resolve))
    const flood = slugs.map(async (of) => {
      const got = await ask(of, flooder)
      if (got === 'icon') refused()
      return got
    })
    await isFull
    expect(await ask(slug, bob)).toBe('picture')
    const answers = await Promise.all(flood)
    expect(new Set(answers)).toEqual(new Set(['picture', 'icon']))
    expect(answers.filter((got) => got === 'picture').length).toBeGreaterThanOrEqual(4)
    // Pictures over the limit are drawn on a later request.
    expect(await ask(slugs.at(-1) ?? '', flooder)).toBe('picture')
  })

  test('a missing bundle has none', async () => {
    expect((await fetch(`${server().origin}/l/nothing-here/picture.png`)).status).toBe(404)
  })

  test('browsers find icons, a manifest and robots.txt', async () => {
    const at = (path: string) => fetch(server().origin + path)
    for (const [path, type] of [
      ['/favicon.ico', 'image/x-icon'],
      ['/apple-touch-icon.png', 'image/png'],
      ['/icon-192.png', 'image/png'],
      ['/icon-512.png', 'image/png'],
    ] as const) {
      const answer = await at(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      expect((await answer.bytes()).length).toBeGreaterThan(300)
    }
    const home = await (await at('/')).text()
    expect(home).toContain('rel="manifest" href="/site.webmanifest"')
    const manifest = await (await at('/site.webmanifest')).json()
    for (const { src } of manifest.icons) expect((await at(src)).status).toBe(200)
    const robots = await (await at('/robots.txt')).text()
    expect(robots).toContain('Disallow: /claim/')
    expect(robots).not.toContain('/l/')
  })
})
