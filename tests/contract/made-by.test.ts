import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { escapedText } from './html.ts'
import { newSlug } from './support.ts'

const EVIL = '<b>&amp; Sons</b>'

onEveryTarget({}, (server) => {
  const head = async (slug: string) => {
    const html = await (await fetch(`${server().origin}/l/${slug}`)).text()
    return /<header>.*?<\/header>/s.exec(html)?.[0].replace(/<i .*<\/i>/s, '') ?? ''
  }

  test('a launcher says which organisation it is of, whatever that is called, within a second of a new name', async () => {
    const admin = await newPerson(server())
    const { id } = await newOrganization(admin)
    await actFor(admin, id)
    const { slug } = await admin.makeBundle()
    const rename = (name: string) =>
      admin.api('POST', '/api/auth/organization/update', { organizationId: id, data: { name } })
    await rename('Northwind')
    await becomes(async () => (await head(slug)).includes('>Northwind</b>'), true)
    await rename(EVIL)
    await becomes(async () => escapedText(EVIL).test(await head(slug)), true)
    expect(await head(slug)).not.toContain(EVIL)
  })

  test('of a person, and of whoever made one without an account, it says nothing', async () => {
    const person = await newPerson(server())
    await person.api('POST', '/api/auth/update-user', { name: 'Edith Person' })
    const own = await head((await person.makeBundle()).slug)
    expect(own).toBe(await head(await newSlug(server())))
    for (const told of ['Edith', person.email, 'by ']) expect(own).not.toContain(told)
  })

  test('it has a stub for each of its tabs, in the hue that the tab has', async () => {
    const urls = ['https://a.example/', 'https://b.example/', 'https://github.com/']
    const html = await (await fetch(`${server().origin}/l/${await newSlug(server(), { urls })}`)).text()
    const hues = (pattern: RegExp) => Array.from(html.matchAll(pattern), ([, hue = '', letter = '']) => hue + letter)
    expect(hues(/<i class="(hue-\d)">(.)<\/i>/g)).toHaveLength(3)
    expect(hues(/<i class="(hue-\d)">(.)<\/i>/g)).toEqual(hues(/<span class="tile (hue-\d)" aria-hidden="true">(.)</g))
  })
})
