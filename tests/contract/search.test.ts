import { expect, test } from 'bun:test'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

async function slugsFor(person: Person, q: string, state = 'active'): Promise<string[]> {
  const asked = new URLSearchParams({ q, state })
  const { status, body } = await person.api<{ bundles: { slug: string }[] }>('GET', `/api/me/links?${asked}`)
  expect(status).toBe(200)
  return body.bundles.map(({ slug }) => slug)
}

const CONTENT = {
  title: 'Ärger im Büro',
  description: 'Two lines:\nand the second',
  urls: ['https://example.com/plan?x=100%', 'https://example.org/'],
  urlMetadata: [{ note: 'Read "this" first' }, { note: 'ÄPFEL und Straße', tags: ['Ὀδυσσεύς', 'on-call'] }],
}

onEveryTarget({}, (at) => {
  test('search finds text in the slug, title, description, links, notes and tags, in any case', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle(CONTENT)
    const other = await ann.makeBundle({ title: 'Something else', urls: ['https://elsewhere.example/'] })
    for (const q of [
      slug.slice(2, 8),
      'ärger',
      'BÜRO',
      'bu\u0308ro',
      'SECOND',
      'x=100%',
      'Example.ORG',
      'read "this"',
      'äpfel',
      'STRASSE',
      'straße',
      'ὈΔΥΣΣΕΎΣ',
      'On-Call',
    ]) {
      expect([q, await slugsFor(ann, q)]).toEqual([q, [slug]])
    }
    // Not text that only the storage format has, patterns, or matches across fields.
    for (const q of ['note', 'tags', '","', 'e*m', 'e%', 'first äpfel', '_']) {
      expect([q, await slugsFor(ann, q)]).toEqual([q, []])
    }
    expect((await slugsFor(ann, 'https://')).sort()).toEqual([slug, other.slug].sort())
  })

  test('search follows edits, restored versions, copies and deletions, and is limited to the owner', async () => {
    const [ann, ben] = [await newPerson(at()), await newPerson(at())]
    const { slug } = await ann.makeBundle(CONTENT)
    const edited = await ann.api('PATCH', `/api/links/${slug}`, { urlMetadata: [{ note: 'Pears' }, {}] })
    expect(edited.status).toBe(200)
    expect(await slugsFor(ann, 'äpfel')).toEqual([])
    expect(await slugsFor(ann, 'pears')).toEqual([slug])
    await ann.api('POST', `/api/links/${slug}/versions/1/restore`, {})
    expect(await slugsFor(ann, 'äpfel')).toEqual([slug])
    const copied = await ann.api<{ slug: string }>('POST', `/api/links/${slug}/duplicate`, { title: 'A copy' })
    expect((await slugsFor(ann, 'äpfel')).sort()).toEqual([slug, copied.body.slug].sort())
    expect(await slugsFor(ann, 'a copy')).toEqual([copied.body.slug])
    await ann.api('DELETE', `/api/links/${slug}`)
    expect(await slugsFor(ann, 'äpfel')).toEqual([copied.body.slug])
    expect(await slugsFor(ann, 'äpfel', 'deleted')).toEqual([slug])
    expect(await slugsFor(ben, 'äpfel')).toEqual([])
  })

  test('a tag finds the bundles with exactly that tag on a link, combined with search, state and pages', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle(CONTENT)
    const tags = ['on-call', 'a "quoted", \\ tag']
    const other = await ann.makeBundle({ title: 'Other', urlMetadata: [{}, { note: 'ÄPFEL', tags }] })
    const noted = await ann.makeBundle({ title: 'Noted', urlMetadata: [{ note: 'on-call' }, { tags: ['on-call2'] }] })
    const tagged = async (query: Record<string, string>) => {
      const path = `/api/me/links?${new URLSearchParams(query)}`
      const { status, body } = await ann.api<{ bundles: { slug: string }[] }>('GET', path)
      expect(status).toBe(200)
      return body.bundles.map((bundle) => bundle.slug)
    }
    expect(await tagged({ tag: 'on-call' })).toEqual([other.slug, slug])
    expect(await tagged({ tag: 'on-call', limit: '1', offset: '1' })).toEqual([slug])
    expect(await tagged({ tag: 'on-call', q: 'ärger' })).toEqual([slug])
    expect(await tagged({ tag: tags[1]! })).toEqual([other.slug])
    expect(await tagged({ tag: 'Ὀδυσσεύς' })).toEqual([slug])
    for (const tag of ['On-call', 'on-cal', 'tags', 'ÄPFEL', '%', '*'])
      expect([tag, await tagged({ tag })]).toEqual([tag, []])
    expect(await tagged({ tag: 'on-call2' })).toEqual([noted.slug])
    await ann.api('DELETE', `/api/links/${slug}`)
    expect(await tagged({ tag: 'on-call' })).toEqual([other.slug])
    expect(await tagged({ tag: 'on-call', state: 'deleted' })).toEqual([slug])
    for (const tag of ['', ' ', 'x'.repeat(41)]) {
      expect(await ann.api('GET', `/api/me/links?tag=${tag}`)).toMatchObject({ status: 400 })
    }
  })

  test('the dashboard finds notes and tags, and shows how many results there are', async () => {
    const ann = await newPerson(at())
    await ann.makeBundle(CONTENT)
    const page = async (q: string) => (await ann.fetch(`/dashboard?q=${encodeURIComponent(q)}`)).text()
    expect(await page('ON-CALL')).toContain('<span>1 bundle</span>')
    expect(await page('nowhere')).toContain('No title, link or tag contains')
    expect(await page('nowhere')).toContain('aria-label="Search bundles"')
  })
})
