import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { fieldsIn, multipart } from '../form.ts'
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
    // While somebody types, it is asked again only when the links have changed.
    const html = await (await owner.fetch(`/dashboard/links/${slug}`)).text()
    const check = async (change: (fields: [string, string][]) => [string, string][]) => {
      const sent = multipart([...change(fieldsIn(html)), ['do', 'check']])
      const headers = { ...sent.headers, 'hx-request': 'true', 'hx-target': 'div#check' }
      const answer = await owner.fetch(`/dashboard/links/${slug}`, { ...sent, method: 'POST', headers })
      return [...(await answer.text()).matchAll(/Also in <a[^>]*>([^<]*)</g)].map(([, called]) => called)
    }
    const renamed = 'Onboarding, renamed'
    await owner.api('PATCH', `/api/links/${first.slug}`, { title: renamed })
    expect(await check((fields) => fields)).toEqual([onboarding[1], onboarding[1]])
    const changed = (fields: [string, string][]) =>
      fields.map(([name, value]): [string, string] => [name, value.replace('own.example', 'new.example')])
    await becomes(() => check(changed), [renamed, renamed])
    // What somebody has alone is another owner's than what they have with others.
    await actFor(owner, (await newOrganization(owner)).id)
    const { slug: ours } = await owner.makeBundle({ urls: [shared] })
    const page = await (await owner.fetch(`/dashboard/links/${ours}`)).text()
    expect(page).not.toContain('Also in')
  })
})
