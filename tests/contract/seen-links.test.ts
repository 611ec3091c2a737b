import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (server) => {
  test('the editor says of each link in which other bundle of the same owner it stands, as it opens', async () => {
    const [owner, stranger] = [await newPerson(server()), await newPerson(server())]
    const [shared, other, foreign] = ['https://shared.example/', 'https://other.example/', 'https://foreign.example/']
    const first = await owner.makeBundle({ title: 'Onboarding & more', urls: [shared] })
    const untitled = await owner.makeBundle({ urls: [other] })
    await stranger.makeBundle({ title: 'Secret', urls: [foreign] })
    const { slug } = await owner.makeBundle({ urls: ['https://own.example/', shared, other, foreign, shared] })
    /** Each link that stands elsewhere: its place, where that is, and what it is called. A busy server says nothing of it. */
    const seen = async () => {
      const html = await (await owner.fetch(`/dashboard/links/${slug}`)).text()
      const rows = html.split('<li class="link-row').slice(1)
      return rows.flatMap((row, at) => {
        const found = /Also in <a href="\/dashboard\/links\/([^"]*)"[^>]*>([^<]*)</.exec(row)
        return found === null ? [] : [[at + 1, found[1], found[2]]]
      })
    }
    const onboarding = [first.slug, 'Onboarding &amp; more']
    await becomes(seen, [
      [2, ...onboarding],
      [3, untitled.slug, `/l/${untitled.slug}`],
      [5, ...onboarding],
    ])
    await owner.api('DELETE', `/api/links/${untitled.slug}`)
    await becomes(seen, [
      [2, ...onboarding],
      [5, ...onboarding],
    ])
    // What somebody has alone is another owner's than what they have with others.
    await actFor(owner, (await newOrganization(owner)).id)
    const { slug: ours } = await owner.makeBundle({ urls: [shared] })
    const html = await (await owner.fetch(`/dashboard/links/${ours}`)).text()
    expect(html).not.toContain('Also in')
  })
})
