import { expect, test } from 'bun:test'
import { inflateSync } from 'node:zlib'
import { eventually } from '../eventually.ts'
import { newOrganization, newPerson, Visitor } from '../people.ts'
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

/** In every script with a font, and what is made to do harm. */
const TITLES = [
  ...[
    'Weekly plan',
    'Příliš žluťoučký',
    'Недельный план',
    'Σχέδιο',
    'דליל הצוות Q3!',
    'دليل الفريق (Q3)',
    'साप्ताहिक योजना',
  ],
  ...[
    'คู่มือทีมสำหรับ',
    '東京の週末',
    '新产品发布会',
    '臺灣發表會',
    '주간 계획',
    'Հայաստան',
    'საქართველო',
    '🎉 👩‍💻 🇩🇪 1️⃣ 🏳️‍🌈',
  ],
  ...[
    'W'.repeat(200),
    '设计'.repeat(100),
    '<svg>&"\'</svg>',
    ' word'.repeat(39),
    `z${'\u0335\u0361'.repeat(90)}`,
    'ﷺ'.repeat(180),
  ],
]

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (server) => {
  const launcher = async (url: string) => (await fetch(url)).text()
  const newcomer = () => new Visitor(server())

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

  test('a title in any script, however long, has letters in its picture, which takes less than 60 KB', async () => {
    const urls = Array.from({ length: 25 }, (_, at) => `https://site-${at}.example/`)
    const empty = await look(pictureIn(await launcher((await newcomer().makeBundle({ title: '\u{e000}', urls })).url)))
    for (const title of TITLES) {
      const { url } = await newcomer().makeBundle({ title, urls })
      const { size, bytes, status } = await look(pictureIn(await launcher(url)))
      expect([title, status, size, bytes.byteLength < 60_000]).toEqual([title, 200, [1200, 630], true])
      // Where nothing of a title can be drawn, the number of tabs stands in its place.
      expect([title, bytes.equals(empty.bytes)]).toEqual([title, false])
    }
  })

  test('what is unseen in a title changes no picture', async () => {
    const nameOf = async (title: string) =>
      pictureIn(await launcher((await newcomer().makeBundle({ title })).url)).split('v=')[1] ?? ''
    const plain = await nameOf('Plan for Monday')
    expect(await nameOf('Plan\u00ad for Mon\u200bday\ue000')).toBe(plain)
  })

  test('an answer has a validator, and parts', async () => {
    const { url } = await newcomer().makeBundle({ title: 'In parts' })
    const picture = pictureIn(await launcher(url))
    const whole = await look(picture)
    const etag = whole.headers.get('etag') ?? ''
    const again = await fetch(picture, { headers: { 'if-none-match': etag } })
    expect([etag.length > 5, again.status, await again.text()]).toEqual([true, 304, ''])
    const part = await fetch(picture, { headers: { range: 'bytes=100-199' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${whole.bytes.byteLength}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.bytes.subarray(100, 200))).toBe(true)
    for (const range of ['bytes=9999999-', 'bytes=5-1', 'bytes=-5', 'lines=1-2', 'bytes=0-1,4-5']) {
      const odd = await fetch(picture, { headers: { range } })
      expect([range, odd.status, (await odd.arrayBuffer()).byteLength]).toEqual([range, 200, whole.bytes.byteLength])
    }
  })

  test('the address of a picture shows nothing once strangers may not see the bundle, nor the older picture after an edit', async () => {
    const owner = await newPerson(server())
    const { slug, url } = await owner.makeBundle({ title: 'Open to all' })
    const picture = pictureIn(await launcher(url))
    const first = await look(picture)
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Edited' })
    const second = await look(picture)
    expect([second.bytes.equals(first.bytes), second.headers.get('etag') === first.headers.get('etag')]).toEqual([
      false,
      false,
    ])
    const etag = second.headers.get('etag') ?? ''
    for (const [change, status] of [
      [{ access: 'members' }, 401],
      [{ access: 'password', password: 'open sesame' }, 401],
      [{ access: 'link', opensAt: '2099-01-01T00:00:00Z' }, 403],
    ] as const) {
      await owner.api('PATCH', `/api/links/${slug}`, change)
      for (const headers of [new Headers(), new Headers({ 'if-none-match': etag })]) {
        const answer = await fetch(picture, { headers })
        expect([change, answer.status, answer.headers.get('etag')]).toEqual([change, status, null])
      }
    }
    await owner.api('DELETE', `/api/links/${slug}`)
    expect((await fetch(picture, { headers: { 'if-none-match': etag } })).status).toBe(404)
  })

  test('an organisation is named in the pictures of its bundles, a person in none; another owner makes another picture', async () => {
    const owner = await newPerson(server())
    const { slug, url } = await owner.makeBundle({ title: 'Handed over' })
    const own = pictureIn(await launcher(url))
    expect(pictureIn(await launcher((await newcomer().makeBundle({ title: 'Handed over' })).url)).split('v=')[1]).toBe(
      own.split('v=')[1] ?? '',
    )
    const first = await look(own)
    const { id: organizationId } = await newOrganization(owner)
    await owner.api('POST', `/api/links/${slug}/transfer`, { to: { type: 'organization', organizationId } })
    const theirs = pictureIn(await launcher(url))
    expect(theirs).not.toBe(own)
    for (const address of [own, theirs]) expect((await look(address)).bytes.equals(first.bytes)).toBe(false)
    await owner.api('POST', '/api/auth/organization/update', { organizationId, data: { name: 'Renamed' } })
    await eventually(async () => pictureIn(await launcher(url)) !== theirs, 'the new name is in it')
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
