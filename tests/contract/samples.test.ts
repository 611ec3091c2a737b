import { expect, test } from 'bun:test'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const PICTURE = /<figure class="sample">.*?<div class="picture"[^>]*\binert\b.*?<\/figure>/s

onEveryTarget({}, (at) => {
  const pictureOn = async (person: Person, path: string) =>
    PICTURE.exec(await (await person.fetch(path)).text())?.[0] ?? null

  test('empty pages show a picture of what will be there', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle({ title: 'Fresh' })
    const bundle = `/dashboard/links/${slug}`
    expect(await pictureOn(ann, '/dashboard/keys')).toContain('Nightly import')
    expect(await pictureOn(ann, `${bundle}/insights`)).toContain('Views per day')
    expect(await pictureOn(ann, `${bundle}/policy`)).toContain('On a phone')
    expect(await pictureOn(ann, `${bundle}/versions`)).toContain('2 links added')

    await ann.api('POST', '/api/me/keys', { name: 'Real' })
    const when = { op: 'signedIn' }
    const resolutionPolicy = { version: 1, rules: [{ name: 'Real', when, tabs: [{ url: 'https://a.example/' }] }] }
    await ann.api('PATCH', `/api/links/${slug}`, { resolutionPolicy })
    for (const path of ['/dashboard/keys', `${bundle}/policy`, `${bundle}/versions`]) {
      expect(await pictureOn(ann, path)).toBeNull()
    }
  })
})
